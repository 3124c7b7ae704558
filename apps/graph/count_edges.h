// Self-loops and repeated edges of a list, counted.
#pragma once

#include "apps/graph/edge_list.h"

namespace graph {

// Sorts a copy of the edges, by so many threads: 8 bytes an edge, and some megabytes a thread.
EdgeCounts CountEdges(const EdgeList& list, int threads = 1);

}  // namespace graph
