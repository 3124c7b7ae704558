#include "apps/graph/edge_list.h"

#include <algorithm>

namespace graph {

EdgeCounts CountEdges(const EdgeList& list) {
  EdgeCounts counts;
  std::vector<std::uint64_t> pairs;
  pairs.reserve(list.edges.size());
  for (auto [from, to] : list.edges) {
    if (from == to) {
      ++counts.self_loops;
      continue;
    }
    if (list.direction == Direction::kUndirected && from > to) std::swap(from, to);
    pairs.push_back(std::uint64_t{from} << 32 | to);
  }
  std::sort(pairs.begin(), pairs.end());
  const auto distinct = std::unique(pairs.begin(), pairs.end());
  counts.repeated = static_cast<std::uint64_t>(pairs.end() - distinct);
  return counts;
}

}  // namespace graph
