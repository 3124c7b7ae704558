// How many states an order of the edges may lead to. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/simpath/problem/problem.h"

namespace simpath {

// By how many a vertex in the frontier multiplies the states, given how many of its edges are
// decided and how many are not. A mate is untouched, inner or an end, but after one edge not inner,
// and before the last edge more often dead. Between planar graphs, whose paths cannot cross (about
// 3 where the frontier is wide), and others; the figures are those that order grids, king's boards,
// hypercubes and random graphs best.
constexpr double StatesOfVertex(std::size_t decided, std::size_t left) {
  if (decided == 0 || left == 0) return 1;
  if (decided == 1) return 2.5;
  return left == 1 ? 3.3 : 3.5;
}

// The growth of the number of states by a decision on one more edge of a vertex. Precondition:
// left > 0.
inline double GrowthByEdge(std::size_t decided, std::size_t left) {
  constexpr auto kGrowth = [](std::size_t before, std::size_t after) {
    return StatesOfVertex(before + 1, after - 1) / StatesOfVertex(before, after);
  };
  // More than two decided, or three undecided, edges change nothing.
  static constexpr double kTable[3][3] = {{kGrowth(0, 1), kGrowth(0, 2), kGrowth(0, 3)},
                                          {kGrowth(1, 1), kGrowth(1, 2), kGrowth(1, 3)},
                                          {kGrowth(2, 1), kGrowth(2, 2), kGrowth(2, 3)}};
  return kTable[decided < 2 ? decided : 2][left < 3 ? left - 1 : 2];
}

// The sum of the estimated states after all steps, for the comparison of orders: 5 to 15 times the
// number of states.
double EstimateStates(const Problem& problem, std::span<const std::size_t> order);

// The estimated states after each edge, in the problem's order.
std::vector<double> EstimateEachStep(const Problem& problem);

}  // namespace simpath
