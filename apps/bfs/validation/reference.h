// The serial search that all others are compared with. Pure; shares nothing with them.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/graph/csr.h"

namespace bfs {

// Of a vertex that no path from the root reaches.
inline constexpr std::int32_t kUnreached = -1;

// The number of edges of a shortest path from `root` to each vertex, by a queue.
// Precondition: root < csr.vertices().
std::vector<std::int32_t> DepthsFrom(const graph::Csr& csr, graph::Vertex root);

}  // namespace bfs
