// Edges as a file has them, between ids or between vertices. Pure.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "apps/graph/edge_list.h"

namespace graph {

// A value: an edge between ids of a file.
struct WideEdge {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

template <typename Id>
using EdgeOf = std::conditional_t<std::is_same_v<Id, Vertex>, Edge, WideEdge>;

// A value: edges and, where they are kept, their weights.
template <typename Id>
struct Edges {
  std::vector<EdgeOf<Id>> edges;
  std::vector<double> weights;
  bool drops_weights = false;  // as EdgeList has it

  bool HasAllWeightsOrNone() const { return weights.empty() || weights.size() == edges.size(); }
};

}  // namespace graph
