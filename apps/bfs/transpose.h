// Forward lists of a directed graph from its backward lists.
#pragma once

#include <cstdint>
#include <span>

#include "apps/bfs/hub_graph.h"

namespace bfs {

// Writes the forward lists of a node: of each core vertex, the node's vertices in whose backward
// list the vertex is, ascending. `ends` is scratch, an element for each of the graph's words() * 64
// places. By lightweight threads, within their pool. False where the lists do not fit the index
// (Lists::Begin). Precondition: the backward lists are complete, and the forward lists have room.
[[nodiscard]] bool Transpose(const HubGraph& graph, int node, std::span<std::uint64_t> ends);

}  // namespace bfs
