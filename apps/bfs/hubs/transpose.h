// Forward lists of a directed graph from its backward lists.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "apps/bfs/hubs/lists.h"
#include "apps/graph/edge_list.h"

namespace bfs {

// Writes a node's forward lists: list r has the vertices of the node in whose backward lists r is,
// ascending. Backward list p is that of the vertex rank_at(p). `ends` is scratch, an element for
// each forward list, of which there are whole words of 64. By lightweight threads, within their
// pool. False where the lists do not fit the index (Lists::Begin). Precondition: the backward lists
// are complete, and the forward lists have room.
[[nodiscard]] bool Transpose(const Lists& backward, std::uint64_t backward_lists,
                             const std::function<graph::Vertex(std::uint64_t list)>& rank_at,
                             const Lists& forward, std::span<std::uint64_t> ends);

}  // namespace bfs
