// Lists of edges as bytes of a file format, for peers that read one and for tests. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/formats.h"

namespace graph {

// Parse gives the same list back, but for the number of vertices where the format has none, for the
// order of an undirected edge's ends in MatrixMarket and gapbs, for the order of edges in METIS,
// Ligra and gapbs, and for ids, which edge-list, csv and gapbs keep and the others number anew. Of
// a list without weights they are 1 where a format must have them. InvalidArgument: the format
// cannot hold the list (a direction, self-loops in METIS, terminals, weights, sides).
absl::StatusOr<std::string> Write(Format format, const EdgeList& list);

}  // namespace graph
