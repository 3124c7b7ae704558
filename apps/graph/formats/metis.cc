#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/graph/formats/edge_hash.h"
#include "apps/graph/formats/edge_lines.h"
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
    const auto ncon = scanner.Integer({"a number of weights of a vertex", 1, 1'000'000});
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

// Is each neighbor an arc, which the other end need not list?
bool AreArcs(const ParseOptions& options) { return options.direction == Direction::kDirected; }

// An isolated vertex has an empty line; of the last vertex, even its line end may be missing.
bool NextVertexLine(Scanner& scanner) {
  while (scanner.NextLine()) {
    if (!scanner.StartsWith('%')) return true;
  }
  return false;
}

// Calls visit(vertex, neighbor, weight) for each neighbor of each vertex from `vertex` on, in the
// order of the file; the weight is 0 where there is none, or it is not kept.
template <typename Visit>
absl::Status ForEachNeighbor(Scanner& scanner, std::uint64_t vertex, const Header& header,
                             const ParseOptions& options, Visit visit) {
  std::vector<double> weights;
  for (; NextVertexLine(scanner); ++vertex) {
    if (vertex >= header.vertices) {
      if (scanner.AtLineEnd()) continue;
      return scanner.FieldFault(scanner.NextField(),
                                "the end of the file after " + header.VerticesAnnounced());
    }
    for (std::uint64_t i = 0; i < header.numbers_of_vertex; ++i) {
      if (auto status = scanner.ReadInteger("a weight of the vertex"); !status.ok()) return status;
    }
    while (!scanner.AtLineEnd()) {
      const auto neighbor = scanner.VertexId(1, header.vertices);
      if (!neighbor.ok()) return neighbor.status();
      if (*neighbor == vertex && !AreArcs(options)) {
        return scanner.Fault("vertex " + std::to_string(vertex + 1) + " as its own neighbor",
                             "another vertex");
      }
      if (header.edge_weights == Present::kYes) {
        weights.clear();
        const auto status =
            scanner.ReadReal("a weight of the edge", options.keep_weights ? &weights : nullptr);
        if (!status.ok()) return status;
      }
      visit(static_cast<Vertex>(vertex), *neighbor, weights.empty() ? 0.0 : weights.front());
    }
  }
  return absl::OkStatus();
}

// The vertex of the first line of each piece, and the number of lines in all.
std::vector<std::uint64_t> FirstVertices(const Body& body, int threads) {
  const auto lines = ParsePieces<std::uint64_t>(
      body, threads, [](std::size_t, Scanner& scanner, std::uint64_t& count) {
        while (NextVertexLine(scanner)) ++count;
        return absl::OkStatus();
      });
  std::vector<std::uint64_t> first = {0};
  for (const std::uint64_t count : lines.found) first.push_back(first.back() + count);
  return first;
}

absl::Status CheckLines(const Body& body, const Header& header, std::uint64_t lines) {
  const bool may_miss_one = header.numbers_of_vertex == 0 && header.vertices > 0;
  if (lines + may_miss_one >= header.vertices) return absl::OkStatus();
  return TooFew(body, "the line of vertex", lines, header.VerticesAnnounced());
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
absl::Status OneSidedFault(const Body& body, const Header& header, const ParseOptions& options) {
  std::vector<Mention> mentions;
  Scanner scanner(body);
  const absl::Status status =
      ForEachNeighbor(scanner, 0, header, options, [&](Vertex from, Vertex to, double weight) {
        mentions.push_back({from, to, weight, scanner.line()});
      });
  if (!status.ok()) return status;
  const bool has_weights = options.keep_weights && header.edge_weights == Present::kYes;
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
      return absl::InvalidArgumentError(
          std::string(body.file) + ":" + std::to_string(often.line) + ": found neighbor " +
          std::to_string(often.neighbor + 1ull) + " of vertex " + vertex +
          ", expected it to list " + vertex + " as often" +
          (has_weights ? " with that weight" : "") + " (--directed: neighbors are arcs)");
    }
    first = last;
  }
  return absl::InternalError(std::string(body.file) + ": both ends of each edge list it");
}

absl::Status OtherNumber(const Body& body, std::uint64_t edges, const Header& header) {
  Scanner scanner(body);
  while (scanner.NextLine()) {
  }
  return scanner.Fault(std::to_string(edges) + (edges == 1 ? " edge" : " edges"),
                       header.EdgesAnnounced());
}

// A value: the edges of a piece, by their smaller ends.
struct Found {
  Edges<Vertex> edges;
  std::uint64_t neighbors = 0;
  std::uint64_t balance = 0;  // the sum over all pieces is 0 where larger ends list the same edges
};

}  // namespace

absl::StatusOr<EdgeList> ParseMetis(std::string_view file, std::string_view text,
                                    const ParseOptions& options) {
  Scanner scanner(file, text);
  const auto header = ParseHeader(scanner);
  if (!header.ok()) return header.status();
  const Body body = scanner.rest();
  const bool has_weights = options.keep_weights && header->edge_weights == Present::kYes;
  const std::vector<std::uint64_t> first = FirstVertices(body, options.threads);
  const auto parse = [&](std::size_t piece, Scanner& lines, Found& found) {
    return ForEachNeighbor(lines, first[piece], *header, options,
                           [&](Vertex from, Vertex to, double weight) {
                             ++found.neighbors;
                             if (from > to && !AreArcs(options)) {
                               found.balance -= EdgeHash(to, from, weight);
                               return;
                             }
                             found.balance += EdgeHash(from, to, weight);
                             found.edges.edges.push_back({from, to});
                             if (has_weights) found.edges.weights.push_back(weight);
                           });
  };
  Pieces<Found> pieces = ParsePieces<Found>(body, options.threads, parse);
  // One thread knows the number of the faulty line.
  if (!pieces.ok()) return ParsePieces<Found>(body, 1, parse).statuses[0];
  if (auto status = CheckLines(body, *header, first.back()); !status.ok()) return status;
  std::uint64_t neighbors = 0, balance = 0;
  std::vector<Edges<Vertex>> parts;
  for (Found& found : pieces.found) {
    neighbors += found.neighbors;
    balance += found.balance;
    parts.push_back(std::move(found.edges));
  }
  if (balance != 0 && !AreArcs(options)) return OneSidedFault(body, *header, options);
  Edges<Vertex> edges = Joined(std::move(parts), options.threads);
  // Some count an arc of each end as one edge.
  const bool has_announced =
      AreArcs(options) ? neighbors == header->edges || neighbors == 2 * header->edges
                       : edges.edges.size() == header->edges && neighbors == 2 * header->edges;
  if (!has_announced) {
    return OtherNumber(body, edges.edges.size(), *header);
  }
  EdgeList list;
  list.vertices = header->vertices;
  if (AreArcs(options)) list.direction = Direction::kDirected;
  Take(std::move(edges), list);
  list.drops_weights = header->edge_weights == Present::kYes && !options.keep_weights;
  list.ids = Ids(1);
  return list;
}

}  // namespace graph
