#include <string>
#include <utility>

#include "apps/graph/formats/edge_lines.h"
#include "apps/graph/formats/parsers.h"

namespace graph {

constexpr std::string_view kComments = "#%";

absl::StatusOr<Counts> ReadCounts(Scanner& scanner, std::string_view comments) {
  if (!scanner.NextLineWithout(comments)) {
    return scanner.EndFault("a line with the numbers of vertices and edges");
  }
  const auto vertices = scanner.Integer({"a number of vertices", 0, kMaxVertices});
  if (!vertices.ok()) return vertices.status();
  const auto edges = scanner.Integer({"a number of edges"});
  if (!edges.ok()) return edges.status();
  if (auto status = scanner.EndLine(); !status.ok()) return status;
  return Counts{*vertices, *edges, scanner.line()};
}

absl::StatusOr<EdgeList> ParseRudy(std::string_view file, std::string_view text,
                                   const ParseOptions& options) {
  Scanner scanner(file, text);
  const auto counts = ReadCounts(scanner, kComments);
  if (!counts.ok()) return counts.status();
  const Body body = scanner.rest();
  auto edges = ParseEdgeLines<Vertex>(
      body, kComments, options.threads, counts->edges,
      [&](Scanner& line, Edges<Vertex>& found) -> absl::Status {
        if (found.edges.size() == counts->edges) {
          return line.Fault("edge " + std::to_string(counts->edges + 1), counts->Announced());
        }
        const auto from = line.VertexId(1, counts->vertices);
        if (!from.ok()) return from.status();
        const auto to = line.VertexId(1, counts->vertices);
        if (!to.ok()) return to.status();
        auto status = line.ReadReal("a weight", WeightsOf(options, found));
        if (!status.ok()) return status;
        if (status = line.EndLine(); !status.ok()) return status;
        found.edges.push_back({*from, *to});
        return absl::OkStatus();
      });
  if (!edges.ok()) return edges.status();
  if (edges->edges.size() != counts->edges) {
    return TooFew(body, "edge", edges->edges.size(), counts->Announced());
  }
  EdgeList list;
  list.vertices = counts->vertices;
  Take(*std::move(edges), list);
  list.ids = Ids(1);
  return list;
}

}  // namespace graph
