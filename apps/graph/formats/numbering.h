// Vertices for the ids of a list that has no number of vertices. Pure but for the threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/format.h"
#include "apps/graph/formats/edges.h"

namespace graph {

// A value: the vertices of both sides of a bipartite graph, where the file says them.
struct Sides {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
};

// Would most of the ids from 0 to `largest` have no edge?
bool AreSparse(std::uint64_t largest, std::uint64_t edges);

// An edge list of these edges by the rule. Directions and terminals are left to the caller.
// InvalidArgument where there are too many vertices. Precondition: there is an edge; with kFromZero
// and kFromOne no id is below the first or above the largest vertex.
template <typename Id>
absl::StatusOr<EdgeList> Numbered(std::string_view file, Edges<Id> edges,
                                  const ParseOptions& options);

// Edges join two sides with ids of their own: ids of the right side follow the ids of the left
// side. `sides`: the sizes that the file announces, which may be larger than its ids say.
absl::StatusOr<EdgeList> NumberedInSides(std::string_view file, Edges<std::uint64_t> edges,
                                         std::optional<Sides> sides, const ParseOptions& options);

}  // namespace graph
