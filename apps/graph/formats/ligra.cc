#include <charconv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "apps/graph/formats/chunks.h"
#include "apps/graph/formats/parsers.h"

namespace graph {
namespace {

using Numbers = std::vector<std::uint64_t>;

// All numbers of the text, of which a line holds any number.
absl::StatusOr<Numbers> ReadNumbers(const Body& body, int threads) {
  const auto parse = [](std::size_t, Scanner& scanner, Numbers& numbers) -> absl::Status {
    while (scanner.NextLineWithout("")) {
      while (!scanner.AtLineEnd()) {
        const auto number = scanner.Integer({"a number"});
        if (!number.ok()) return number.status();
        numbers.push_back(*number);
      }
    }
    return absl::OkStatus();
  };
  Pieces<Numbers> pieces = ParsePieces<Numbers>(body, threads, parse);
  if (!pieces.ok()) return ParsePieces<Numbers>(body, 1, parse).statuses[0];
  Numbers all = std::move(pieces.found[0]);
  for (std::size_t i = 1; i < pieces.found.size(); ++i) {
    all.insert(all.end(), pieces.found[i].begin(), pieces.found[i].end());
    Numbers().swap(pieces.found[i]);
  }
  return all;
}

// The line of the number `index` of the body.
absl::Status FaultOf(const Body& body, std::size_t index, std::string_view expected) {
  Scanner scanner(body);
  for (std::size_t i = 0; scanner.NextLineWithout("");) {
    for (; !scanner.AtLineEnd(); ++i) {
      const std::string_view field = scanner.NextField();
      if (i == index) return scanner.FieldFault(field, expected);
    }
  }
  return scanner.EndFault(expected);
}

}  // namespace

absl::StatusOr<EdgeList> ParseLigra(std::string_view file, std::string_view text,
                                    const ParseOptions& options) {
  constexpr char kFirst[] = "AdjacencyGraph or WeightedAdjacencyGraph";
  Scanner scanner(file, text);
  if (!scanner.NextLineWithout("")) return scanner.EndFault(kFirst);
  const std::string_view word = scanner.NextField();
  const bool has_weights = word == "WeightedAdjacencyGraph";
  if (!has_weights && word != "AdjacencyGraph") return scanner.FieldFault(word, kFirst);
  if (auto status = scanner.EndLine(); !status.ok()) return status;
  const Body body = scanner.rest();
  const auto numbers = ReadNumbers(body, options.threads);
  if (!numbers.ok()) return numbers.status();
  if (numbers->size() < 2) return FaultOf(body, numbers->size(), "numbers of vertices and edges");
  const std::uint64_t vertices = (*numbers)[0], edges = (*numbers)[1];
  if (vertices > kMaxVertices) {
    return FaultOf(body, 0, "at most " + std::to_string(kMaxVertices) + " vertices");
  }
  const std::uint64_t given = numbers->size() - 2;
  const std::uint64_t per_edge = has_weights ? 2 : 1;
  if (edges > given || given != vertices + per_edge * edges) {
    return FaultOf(body, edges > given ? numbers->size() : 2 + vertices + per_edge * edges,
                   std::to_string(vertices) + " offsets and " + std::to_string(per_edge * edges) +
                       (has_weights ? " neighbors and weights" : " neighbors"));
  }
  const std::uint64_t* const offsets = numbers->data() + 2;
  const std::uint64_t* const neighbors = offsets + vertices;
  EdgeList list;
  list.vertices = vertices;
  list.direction = Direction::kDirected;
  list.edges.resize(edges);
  for (std::uint64_t vertex = 0; vertex < vertices; ++vertex) {
    const std::uint64_t end = vertex + 1 < vertices ? offsets[vertex + 1] : edges;
    if (offsets[vertex] > end || end > edges || (vertex == 0 && offsets[0] != 0)) {
      return FaultOf(body, 2 + vertex, "offsets that ascend from 0 to " + std::to_string(edges));
    }
    for (std::uint64_t i = offsets[vertex]; i < end; ++i) {
      if (neighbors[i] >= vertices) {
        return FaultOf(body, 2 + vertices + i,
                       "a vertex from 0 to " + std::to_string(vertices - 1));
      }
      list.edges[i] = {static_cast<Vertex>(vertex), static_cast<Vertex>(neighbors[i])};
    }
  }
  if (vertices == 0 && edges > 0) return FaultOf(body, 0, "a vertex");
  list.drops_weights = has_weights && !options.keep_weights;
  if (has_weights && options.keep_weights) {
    list.weights.assign(neighbors + edges, neighbors + 2 * edges);
  }
  return list;
}

}  // namespace graph
