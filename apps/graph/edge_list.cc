#include "apps/graph/edge_list.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace graph {
namespace {

// In the order of its ends where it has no direction.
Edge Ordered(const EdgeList& list, Edge edge) {
  if (list.direction == Direction::kUndirected && edge.from > edge.to) {
    std::swap(edge.from, edge.to);
  }
  return edge;
}

template <typename T>
std::uint64_t CountRepeated(T* begin, T* end) {
  std::sort(begin, end);
  return static_cast<std::uint64_t>(end - std::unique(begin, end));
}

std::uint64_t RepeatedByPairs(const EdgeList& list) {
  std::vector<std::uint64_t> pairs;
  pairs.reserve(list.edges.size());
  for (const Edge each : list.edges) {
    const auto [from, to] = Ordered(list, each);
    if (from != to) pairs.push_back(std::uint64_t{from} << 32 | to);
  }
  return CountRepeated(pairs.data(), pairs.data() + pairs.size());
}

std::uint64_t RepeatedByRows(const EdgeList& list) {
  std::vector<std::uint64_t> ends(list.vertices + 1, 0);
  for (const Edge each : list.edges) {
    const auto [from, to] = Ordered(list, each);
    if (from != to) ++ends[from + 1ull];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Vertex> neighbors(ends.back());
  for (const Edge each : list.edges) {
    const auto [from, to] = Ordered(list, each);
    if (from != to) neighbors[ends[from]++] = to;
  }
  // Each row's beginning has moved to its end.
  std::uint64_t repeated = 0, begin = 0;
  for (std::uint64_t vertex = 0; vertex < list.vertices; ++vertex) {
    repeated += CountRepeated(neighbors.data() + begin, neighbors.data() + ends[vertex]);
    begin = ends[vertex];
  }
  return repeated;
}

}  // namespace

EdgeCounts CountEdges(const EdgeList& list) {
  EdgeCounts counts;
  for (const auto [from, to] : list.edges) counts.self_loops += from == to;
  counts.repeated =
      list.vertices / 8 <= list.edges.size() ? RepeatedByRows(list) : RepeatedByPairs(list);
  return counts;
}

}  // namespace graph
