// The vertices that searches start from. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/graph/edge_list.h"

namespace bfs {

// Graph500 searches from this many.
inline constexpr int kKeys = 64;

// Chooses `count` different vertices, by the seed alone, among those for which `has_edges` is true;
// all of these vertices where the graph has fewer.
std::vector<graph::Vertex> ChooseKeys(std::uint64_t vertices, int count, std::uint64_t seed,
                                      const std::function<bool(graph::Vertex)>& has_edges);

}  // namespace bfs
