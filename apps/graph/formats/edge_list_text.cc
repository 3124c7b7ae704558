#include <algorithm>

#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {

absl::StatusOr<EdgeList> ParseEdgeList(std::string_view file, std::string_view text,
                                       ParseOptions options) {
  const std::uint64_t first = options.first_id == FirstId::kZero ? 0 : 1;
  const std::uint64_t last = kMaxVertices - 1 + first;
  EdgeList list;
  Vertex largest = 0;
  Scanner scanner(file, text);
  while (scanner.NextLineWithout("#%")) {
    const auto from = scanner.VertexId(first, last);
    if (!from.ok()) return from.status();
    const auto to = scanner.VertexId(first, last);
    if (!to.ok()) return to.status();
    // Only a list that has weights has one of each edge: no edge's is a guess.
    if (options.keep_weights && !list.edges.empty() &&
        scanner.AtLineEnd() == (list.weights.size() == list.edges.size())) {
      return scanner.AtLineEnd()
                 ? scanner.FieldFault("", "a weight, as the edges before have")
                 : scanner.FieldFault(scanner.NextField(), "no weight, as of the edges before");
    }
    if (!scanner.AtLineEnd()) {
      if (auto status = scanner.ReadReal("a weight", WeightsOf(options, &list)); !status.ok()) {
        return status;
      }
    }
    if (!scanner.AtLineEnd()) {
      if (auto status = scanner.ReadReal("a time"); !status.ok()) return status;
    }
    if (auto status = scanner.EndLine(); !status.ok()) return status;
    largest = std::max({largest, *from, *to});
    list.edges.push_back({*from, *to});
  }
  if (list.edges.empty()) return scanner.EndFault("an edge, as '0 1'");
  list.vertices = std::uint64_t{largest} + 1;
  return list;
}

}  // namespace graph
