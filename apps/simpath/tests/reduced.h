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
#include "apps/simpath/plan.h"
#include "apps/simpath/problem.h"
#include "apps/simpath/reduce.h"
#include "apps/simpath/sequential.h"

namespace simpath {

// The sum over all paths of the products of their edges' weights.
inline Count WeightByTrying(const Problem& problem) {
  struct End {
    graph::Vertex vertex;
    std::size_t edge;
  };
  std::vector<std::vector<End>> ends(problem.vertices);
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    ends[problem.edges[i].from].push_back({problem.edges[i].to, i});
    ends[problem.edges[i].to].push_back({problem.edges[i].from, i});
  }
  std::vector<bool> visited(problem.vertices);
  const std::function<Count(graph::Vertex)> from = [&](graph::Vertex vertex) -> Count {
    if (vertex == problem.target) return 1;
    visited[vertex] = true;
    Count sum;
    for (const End& end : ends[vertex]) {
      if (visited[end.vertex]) continue;
      const Count rest = from(end.vertex);
      sum += problem.weights.empty() ? rest : problem.weights[end.edge] * rest;
    }
    visited[vertex] = false;
    return sum;
  };
  return from(problem.source);
}

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
