#include <algorithm>
#include <bit>
#include <string>
#include <tuple>
#include <vector>

#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {
namespace {

enum class Present { kNo, kYes };

// A value: the first line that is no comment.
struct Header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t numbers_of_vertex = 0;  // size and weights, before its neighbors
  Present edge_weights = Present::kNo;
  std::uint64_t line = 0;

  std::string EdgesAnnounced() const {
    return std::to_string(edges) + " edges, as line " + std::to_string(line) + " announces";
  }
  std::string VerticesAnnounced() const {
    return "lines of " + std::to_string(vertices) + " vertices, as line " + std::to_string(line) +
           " announces";
  }
};

// "abc", of which leading zeros may be missing: sizes of vertices, weights of vertices, of edges.
absl::Status ParseFmt(Scanner& scanner, Header* header) {
  const std::string_view fmt = scanner.NextField();
  if (fmt.size() > 3 || fmt.find_first_not_of("01") != std::string_view::npos) {
    return scanner.FieldFault(fmt, "up to three digits 0 or 1");
  }
  const auto has = [&](std::size_t from_end) {
    return fmt.size() >= from_end && fmt[fmt.size() - from_end] == '1';
  };
  std::uint64_t constraints = 1;
  if (!scanner.AtLineEnd()) {
    const auto ncon = scanner.Integer({"a number of weights of a vertex", 1});
    if (!ncon.ok()) return ncon.status();
    constraints = *ncon;
  }
  header->edge_weights = has(1) ? Present::kYes : Present::kNo;
  header->numbers_of_vertex = (has(3) ? 1 : 0) + (has(2) ? constraints : 0);
  return scanner.EndLine();
}

absl::StatusOr<Header> ParseHeader(Scanner& scanner) {
  if (!scanner.NextLineWithout("%")) {
    return scanner.EndFault("a line with the numbers of vertices and edges");
  }
  Header header;
  header.line = scanner.line();
  const auto vertices = scanner.Integer({"a number of vertices", 0, kMaxVertices});
  if (!vertices.ok()) return vertices.status();
  const auto edges = scanner.Integer({"a number of edges"});
  if (!edges.ok()) return edges.status();
  header.vertices = *vertices;
  header.edges = *edges;
  if (!scanner.AtLineEnd()) {
    if (auto status = ParseFmt(scanner, &header); !status.ok()) return status;
  }
  return header;
}

// An isolated vertex has an empty line; of the last vertex, even its line end may be missing.
bool NextVertexLine(Scanner& scanner) {
  while (scanner.NextLine()) {
    if (!scanner.StartsWith('%')) return true;
  }
  return false;
}

// Calls visit(vertex, neighbor, weight) for each neighbor of each vertex, in the order of the file;
// the weight is 0 where there is none, or it is not kept.
template <typename Visit>
absl::Status ForEachNeighbor(Scanner& scanner, const Header& header, const ParseOptions& options,
                             Visit visit) {
  std::vector<double> weights;
  for (std::uint64_t vertex = 0; vertex < header.vertices; ++vertex) {
    if (!NextVertexLine(scanner)) {
      if (vertex + 1 == header.vertices && header.numbers_of_vertex == 0) break;
      return scanner.Fault("the end of the file after " + std::to_string(vertex),
                           header.VerticesAnnounced());
    }
    for (std::uint64_t i = 0; i < header.numbers_of_vertex; ++i) {
      if (auto status = scanner.ReadInteger("a weight of the vertex"); !status.ok()) return status;
    }
    while (!scanner.AtLineEnd()) {
      const auto neighbor = scanner.VertexId(1, header.vertices);
      if (!neighbor.ok()) return neighbor.status();
      if (*neighbor == vertex) {
        return scanner.Fault("vertex " + std::to_string(vertex + 1) + " as its own neighbor",
                             "another vertex");
      }
      if (header.edge_weights == Present::kYes) {
        weights.clear();
        const auto status =
            scanner.ReadInteger("a weight of the edge", options.keep_weights ? &weights : nullptr);
        if (!status.ok()) return status;
      }
      visit(static_cast<Vertex>(vertex), *neighbor, weights.empty() ? 0.0 : weights.front());
    }
  }
  if (scanner.NextLineWithout("%")) {
    return scanner.FieldFault(scanner.NextField(),
                              "the end of the file after " + header.VerticesAnnounced());
  }
  return absl::OkStatus();
}

// A value: a vertex that has `neighbor` in its line.
struct Mention {
  Vertex vertex;
  Vertex neighbor;
  double weight;
  std::uint64_t line;

  // Both ends' mentions of an edge are next to each other, the smaller end's first.
  auto Order() const {
    return std::tuple(std::min(vertex, neighbor), std::max(vertex, neighbor), weight, vertex, line);
  }
  bool IsOfSameEdgeAs(const Mention& other) const {
    return std::minmax(vertex, neighbor) == std::minmax(other.vertex, other.neighbor) &&
           weight == other.weight;
  }
};

// Names the first edge that its two ends do not mention equally often.
absl::Status OneSidedFault(std::string_view file, std::string_view text, ParseOptions options) {
  std::vector<Mention> mentions;
  Scanner scanner(file, text);
  const auto header = ParseHeader(scanner);
  if (!header.ok()) return header.status();
  const absl::Status status =
      ForEachNeighbor(scanner, *header, options, [&](Vertex from, Vertex to, double weight) {
        mentions.push_back({from, to, weight, scanner.line()});
      });
  if (!status.ok()) return status;
  const bool has_weights = options.keep_weights && header->edge_weights == Present::kYes;
  std::sort(mentions.begin(), mentions.end(),
            [](const Mention& a, const Mention& b) { return a.Order() < b.Order(); });
  for (auto first = mentions.begin(); first != mentions.end();) {
    const auto last = std::find_if_not(
        first, mentions.end(), [&](const Mention& other) { return other.IsOfSameEdgeAs(*first); });
    const auto by_larger = std::find_if(
        first, last, [](const Mention& other) { return other.vertex > other.neighbor; });
    if (by_larger - first != last - by_larger) {
      const Mention& often = by_larger - first > last - by_larger ? *first : *by_larger;
      const std::string vertex = std::to_string(often.vertex + 1ull);
      return absl::InvalidArgumentError(std::string(file) + ":" + std::to_string(often.line) +
                                        ": found neighbor " +
                                        std::to_string(often.neighbor + 1ull) + " of vertex " +
                                        vertex + ", expected it to list " + vertex + " as often" +
                                        (has_weights ? " with that weight" : ""));
    }
    first = last;
  }
  return absl::InternalError(std::string(file) + ": both ends of each edge list it");
}

// Leaves sums of different edges different, but for one chance in 2^64.
std::uint64_t Mixed(Vertex smaller, Vertex larger, double weight) {
  // -0 is 0.
  std::uint64_t x = std::bit_cast<std::uint64_t>(weight + 0.0) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 32 ^ (std::uint64_t{smaller} << 32 | larger)) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

}  // namespace

absl::StatusOr<EdgeList> ParseMetis(std::string_view file, std::string_view text,
                                    ParseOptions options) {
  Scanner scanner(file, text);
  const auto header = ParseHeader(scanner);
  if (!header.ok()) return header.status();
  EdgeList list;
  list.vertices = header->vertices;
  ReserveEdges(header->edges, text, &list);
  std::uint64_t neighbors = 0;
  std::uint64_t balance = 0;  // 0 where larger ends list what smaller ends do
  const bool has_weights = options.keep_weights && header->edge_weights == Present::kYes;
  const absl::Status status =
      ForEachNeighbor(scanner, *header, options, [&](Vertex from, Vertex to, double weight) {
        ++neighbors;
        if (from < to) {
          balance += Mixed(from, to, weight);
          list.edges.push_back({from, to});
          if (has_weights) list.weights.push_back(weight);
        } else {
          balance -= Mixed(to, from, weight);
        }
      });
  if (!status.ok()) return status;
  if (balance != 0) return OneSidedFault(file, text, options);
  if (list.edges.size() != header->edges || neighbors != 2 * header->edges) {
    return scanner.Fault(std::to_string(list.edges.size()) + " edges", header->EdgesAnnounced());
  }
  return list;
}

}  // namespace graph
