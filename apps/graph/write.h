// Lists of edges as bytes of a file format, for peers that read one and for tests. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/format.h"

namespace graph {

// Parse gives the same list back, with these exceptions: some formats have no number of vertices;
// MatrixMarket and gapbs order the ends of an undirected edge; METIS, Ligra and gapbs order edges;
// only edge-list, csv, gapbs and graph500 keep ids, and the others refuse ids with gaps. A format
// that must have weights gets weights of 1 for a list without weights. InvalidArgument: the format
// cannot hold the list (a direction, self-loops in METIS, terminals, weights, sides).
absl::StatusOr<std::string> Write(Format format, const EdgeList& list);

}  // namespace graph
