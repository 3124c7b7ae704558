#include "apps/simpath/problem/lengths.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace simpath {

using graph::Vertex;

namespace {

// By vertex: edges of a shortest way from `start`, or, backwards, to `start`. Without a way the
// distance is greater than the number of vertices.
std::vector<std::uint64_t> DistancesFrom(const Problem& problem, Vertex start, bool backwards) {
  std::vector<std::vector<Vertex>> next(problem.vertices);
  for (const auto [from, to] : problem.edges) {
    if (!problem.rule.is_directed() || !backwards) next[from].push_back(to);
    if (!problem.rule.is_directed() || backwards) next[to].push_back(from);
  }
  const std::uint64_t far = problem.vertices + 1;
  std::vector<std::uint64_t> distances(problem.vertices, far);
  distances[start] = 0;
  std::vector<Vertex> queue = {start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Vertex to : next[queue[i]]) {
      if (distances[to] != far) continue;
      distances[to] = distances[queue[i]] + 1;
      queue.push_back(to);
    }
  }
  return distances;
}

}  // namespace

Count Lengths::x() const {
  std::vector<std::uint64_t> words(bits_ / 64 + 1, 0);
  words.back() = std::uint64_t{1} << bits_ % 64;
  return Count(std::span<const std::uint64_t>(words));
}

Count Lengths::UpToMost(const Count& packed) const {
  Count sum;
  for (std::size_t length = 0; length <= most_; ++length) {
    const std::size_t first = length * bits_;
    std::vector<std::uint64_t> words(bits_ / 64 + 1, 0);
    for (std::size_t bit = 0; bit < bits_; ++bit) {
      const std::size_t at = first + bit;
      if (at / 64 >= packed.words().size()) break;
      words[bit / 64] |= (packed.words()[at / 64] >> at % 64 & 1) << bit % 64;
    }
    sum += Count(std::span<const std::uint64_t>(words));
  }
  return sum;
}

int BitsOfChoices(std::uint64_t edges, std::uint64_t most) {
  const auto n = static_cast<double>(edges);
  const double k = std::min(static_cast<double>(most), n / 2);
  const double log = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return static_cast<int>(log / std::log(2.0)) + 3;
}

Problem WithoutFarEdges(const Problem& problem, std::uint64_t most_edges) {
  const std::vector<std::uint64_t> from = DistancesFrom(problem, problem.source, false),
                                   to = DistancesFrom(problem, problem.target, true);
  Problem near = problem;
  near.edges.clear();
  near.weights.clear();
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    const auto [a, b] = problem.edges[i];
    const bool there = from[a] + 1 + to[b] <= most_edges;
    const bool back = !problem.rule.is_directed() && from[b] + 1 + to[a] <= most_edges;
    if (!there && !back) continue;
    near.edges.push_back(problem.edges[i]);
    if (!problem.weights.empty()) near.weights.push_back(problem.weights[i]);
  }
  return near;
}

}  // namespace simpath
