#include "apps/graph/count_edges.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
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

constexpr std::size_t kEdgesOfPart = std::size_t{1} << 18;  // whose rows a core's cache has

// Repeated edges of a part, whose smaller ends, or tails, are from `first` to before `last`.
std::uint64_t RepeatedInRows(std::span<const Edge> edges, std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> ends(last - first + 1, 0);
  for (const Edge edge : edges) ++ends[edge.from - first + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Vertex> neighbors(edges.size());
  for (const Edge edge : edges) neighbors[ends[edge.from - first]++] = edge.to;
  // Each row's beginning has moved to its end.
  std::uint64_t repeated = 0, begin = 0;
  for (std::uint64_t row = 0; row < last - first; ++row) {
    repeated += CountRepeated(neighbors.data() + begin, neighbors.data() + ends[row]);
    begin = ends[row];
  }
  return repeated;
}

// Edges are dealt to parts by their smaller ends, or tails, and counted part by part.
std::uint64_t RepeatedByRows(const EdgeList& list, int threads) {
  const std::size_t parts = list.edges.size() / kEdgesOfPart + 1;
  const std::size_t blocks = std::min(parts, static_cast<std::size_t>(threads) * 4);
  const std::uint64_t width = list.vertices / parts + 1;  // vertices of a part
  const auto for_each = [&](std::size_t block, const auto& visit) {
    const std::size_t end = list.edges.size() * (block + 1) / blocks;
    for (std::size_t i = list.edges.size() * block / blocks; i < end; ++i) {
      const Edge edge = Ordered(list, list.edges[i]);
      if (edge.from != edge.to) visit(edge, edge.from / width);
    }
  };
  // Where each block's edges of each part go, part by part.
  std::vector<std::uint64_t> next(parts * blocks + 1, 0);
  ForEachByThreads(blocks, threads, [&](std::size_t block) {
    std::vector<std::uint64_t> counts(parts, 0);
    for_each(block, [&](Edge, std::uint64_t part) { ++counts[part]; });
    for (std::size_t part = 0; part < parts; ++part) next[part * blocks + block + 1] = counts[part];
  });
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint64_t> begins;
  for (std::size_t part = 0; part <= parts; ++part) begins.push_back(next[part * blocks]);
  const auto dealt = std::make_unique_for_overwrite<Edge[]>(next.back());
  ForEachByThreads(blocks, threads, [&](std::size_t block) {
    std::vector<std::uint64_t> at(parts);
    for (std::size_t part = 0; part < parts; ++part) at[part] = next[part * blocks + block];
    for_each(block, [&](Edge edge, std::uint64_t part) { dealt[at[part]++] = edge; });
  });
  std::atomic<std::uint64_t> repeated{0};
  ForEachByThreads(parts, threads, [&](std::size_t part) {
    const std::span<const Edge> edges(dealt.get() + begins[part], dealt.get() + begins[part + 1]);
    if (edges.empty()) return;
    repeated += RepeatedInRows(edges, part * width, std::min(list.vertices, (part + 1) * width));
  });
  return repeated;
}

}  // namespace

EdgeCounts CountEdges(const EdgeList& list, int threads) {
  EdgeCounts counts;
  std::atomic<std::uint64_t> self_loops{0};
  const std::size_t blocks = list.edges.size() / kEdgesOfPart + 1;
  ForEachByThreads(blocks, threads, [&](std::size_t block) {
    const std::size_t end = list.edges.size() * (block + 1) / blocks;
    std::uint64_t found = 0;
    for (std::size_t i = list.edges.size() * block / blocks; i < end; ++i) {
      found += list.edges[i].from == list.edges[i].to;
    }
    self_loops += found;
  });
  counts.self_loops = self_loops;
  if (list.vertices / 8 > list.edges.size()) {
    counts.repeated = RepeatedByPairs(list);
    return counts;
  }
  counts.repeated = RepeatedByRows(list, std::max(threads, 1));
  return counts;
}

}  // namespace graph
