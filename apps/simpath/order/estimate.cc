#include "apps/simpath/order/estimate.h"

#include <vector>

namespace simpath {

namespace {

// body(states) after each edge, in the order of `edge(i)`.
template <typename Edge, typename Body>
void ForEachStep(const Problem& problem, const Edge& edge, const Body& body) {
  std::vector<std::size_t> decided(problem.vertices, 0), left(problem.vertices, 0);
  for (const auto [from, to] : problem.edges) {
    ++left[from];
    ++left[to];
  }
  double states = 1;
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    const auto [from, to] = problem.edges[edge(i)];
    for (const graph::Vertex end : {from, to}) {
      states *= GrowthByEdge(decided[end]++, left[end]--);
    }
    body(states);
  }
}

}  // namespace

double EstimateStates(const Problem& problem, std::span<const std::size_t> order) {
  double sum = 0;
  ForEachStep(
      problem, [&](std::size_t i) { return order[i]; }, [&](double states) { sum += states; });
  return sum;
}

std::vector<double> EstimateEachStep(const Problem& problem) {
  std::vector<double> all;
  ForEachStep(
      problem, [](std::size_t i) { return i; }, [&](double states) { all.push_back(states); });
  return all;
}

}  // namespace simpath
