#include "apps/graph/edge_list.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <utility>

#include "apps/graph/threads.h"

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

// Of the edges whose smaller ends, or tails, are from `first` to before `last`.
std::uint64_t RepeatedByRows(const EdgeList& list, std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> ends(last - first + 1, 0);
  const auto for_each = [&](const auto& visit) {
    for (const Edge each : list.edges) {
      const auto [from, to] = Ordered(list, each);
      if (from - first < last - first && from != to) visit(from - first, to);
    }
  };
  for_each([&](std::uint64_t row, Vertex) { ++ends[row + 1]; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Vertex> neighbors(ends.back());
  for_each([&](std::uint64_t row, Vertex to) { neighbors[ends[row]++] = to; });
  // Each row's beginning has moved to its end.
  std::uint64_t repeated = 0, begin = 0;
  for (std::uint64_t row = 0; row < last - first; ++row) {
    repeated += CountRepeated(neighbors.data() + begin, neighbors.data() + ends[row]);
    begin = ends[row];
  }
  return repeated;
}

}  // namespace

EdgeCounts CountEdges(const EdgeList& list, int threads) {
  EdgeCounts counts;
  for (const auto [from, to] : list.edges) counts.self_loops += from == to;
  if (list.vertices / 8 > list.edges.size()) {
    counts.repeated = RepeatedByPairs(list);
    return counts;
  }
  // Smaller ends are more often small.
  const auto parts = static_cast<std::size_t>(threads <= 1 ? 1 : threads * 4);
  std::atomic<std::uint64_t> repeated{0};
  ForEachByThreads(parts, threads, [&](std::size_t part) {
    repeated +=
        RepeatedByRows(list, list.vertices * part / parts, list.vertices * (part + 1) / parts);
  });
  counts.repeated = repeated;
  return counts;
}

}  // namespace graph
