#include <string>

#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {

absl::StatusOr<EdgeList> ParseRudy(std::string_view file, std::string_view text,
                                   ParseOptions options) {
  Scanner scanner(file, text);
  if (!scanner.NextLineWithout("#%")) {
    return scanner.EndFault("a line with the numbers of vertices and edges");
  }
  const auto vertices = scanner.Integer({"a number of vertices", 0, kMaxVertices});
  if (!vertices.ok()) return vertices.status();
  const auto edges = scanner.Integer({"a number of edges"});
  if (!edges.ok()) return edges.status();
  if (auto status = scanner.EndLine(); !status.ok()) return status;
  const std::string count =
      std::to_string(*edges) + ", as line " + std::to_string(scanner.line()) + " announces";

  EdgeList list;
  list.vertices = *vertices;
  ReserveEdges(*edges, text, &list);
  while (scanner.NextLineWithout("#%")) {
    if (list.edges.size() == *edges) {
      return scanner.Fault("edge " + std::to_string(*edges + 1), count);
    }
    const auto from = scanner.VertexId(1, *vertices);
    if (!from.ok()) return from.status();
    const auto to = scanner.VertexId(1, *vertices);
    if (!to.ok()) return to.status();
    if (auto status = scanner.ReadReal("a weight", WeightsOf(options, &list)); !status.ok()) {
      return status;
    }
    if (auto status = scanner.EndLine(); !status.ok()) return status;
    list.edges.push_back({*from, *to});
  }
  if (list.edges.size() != *edges) {
    return scanner.Fault("the end of the file after edge " + std::to_string(list.edges.size()),
                         count);
  }
  return list;
}

}  // namespace graph
