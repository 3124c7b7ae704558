// The hybrid search as its papers state it, written simply: the row that faster ones are compared
// with.
//
// A level is searched top-down, from the frontier's vertices to neighbors without a parent, while
// the frontier has few edges, and bottom-up, from vertices without a parent to a neighbor in the
// frontier, while it has many; along arcs, to out-neighbors and to an in-neighbor. Top-down the
// frontier is a queue, of which threads take blocks; bottom-up it is a bitmap, and each thread has
// a range of vertices with about as many edges as the others'.
//
// Source: [ULIBC14] section 4.1; Beamer, Asanović and Patterson, Direction-Optimizing Breadth-First
// Search, SC12 (its alpha and beta).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "apps/bfs/problem/answer.h"
#include "apps/bfs/problem/neighbors.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A value.
struct HybridOptions {
  // Bottom-up as soon as the frontier has more than 1/alpha of the edges of vertices that were not
  // reached; top-down again when the frontier has less than 1/beta of the vertices.
  std::int64_t alpha = 15;
  std::int64_t beta = 18;
};

// Searches from each key in turn, by the threads of the mapping, which are started once; `done` is
// called for each answer by one thread while the others wait, and must not throw. Errors as
// topo::RunThreads.
// Precondition: the keys are vertices.
absl::Status SearchAll(const topo::Topology& topology, const topo::Mapping& mapping,
                       const Neighbors& neighbors, std::span<const graph::Vertex> keys,
                       const HybridOptions& options,
                       const std::function<void(const Answer&)>& done);

}  // namespace bfs
