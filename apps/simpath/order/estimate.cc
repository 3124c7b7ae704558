#include "apps/simpath/order/estimate.h"

#include <vector>

namespace simpath {

double EstimateStates(const Problem& problem, std::span<const std::size_t> order) {
  std::vector<std::size_t> decided(problem.vertices, 0), left(problem.vertices, 0);
  for (const graph::Edge edge : problem.edges) {
    ++left[edge.from];
    ++left[edge.to];
  }
  double states = 1, sum = 0;
  for (const std::size_t i : order) {
    for (const graph::Vertex end : {problem.edges[i].from, problem.edges[i].to}) {
      states *= GrowthByEdge(decided[end]++, left[end]--);
    }
    sum += states;
  }
  return sum;
}

}  // namespace simpath
