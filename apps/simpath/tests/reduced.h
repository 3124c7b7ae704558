// Counts with weights, by trying and by reduction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/reduce/reduce.h"

namespace simpath {

inline absl::StatusOr<Count> CountParts(const Reduction& reduction) {
  return reduction.CountPaths(
      [](std::size_t, const Problem& part) { return CountSequentially(MakePlan(part)); });
}

// Vertices and edges of each part, in some order.
inline std::vector<std::pair<std::size_t, std::size_t>> SizesOfParts(const Reduction& reduction) {
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  for (const Problem& part : reduction.parts()) {
    sizes.emplace_back(part.vertices, part.edges.size());
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// Other numbers of vertices, another order of edges, the other way round.
inline Problem Relabeled(const Problem& problem, std::mt19937_64& random) {
  std::vector<graph::Vertex> label(problem.vertices);
  std::iota(label.begin(), label.end(), graph::Vertex{0});
  std::shuffle(label.begin(), label.end(), random);
  std::vector<std::size_t> order(problem.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  Problem relabeled = {.vertices = problem.vertices,
                       .edges = {},
                       .source = label[problem.target],
                       .target = label[problem.source],
                       .weights = {}};
  for (const std::size_t edge : order) {
    relabeled.edges.push_back({label[problem.edges[edge].from], label[problem.edges[edge].to]});
    if (!problem.weights.empty()) relabeled.weights.push_back(problem.weights[edge]);
  }
  return relabeled;
}

}  // namespace simpath
