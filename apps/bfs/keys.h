// The vertices that searches start from. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/graph/edge_list.h"

namespace bfs {

// Graph500 searches from this many.
inline constexpr int kKeys = 64;

// `count` different vertices that `has_edges` holds for (an edge to another vertex), chosen at
// random by the seed; all of them, where there are fewer. The same whatever runs the searches.
std::vector<graph::Vertex> ChooseKeys(std::uint64_t vertices, int count, std::uint64_t seed,
                                      const std::function<bool(graph::Vertex)>& has_edges);

}  // namespace bfs
