// Orders of edges by eliminating vertices: all edges of one vertex that are left, then those of
// another. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/simpath/problem.h"

namespace simpath {

// A value.
struct EliminationOptions {
  std::size_t beam = 500;  // sets of eliminated vertices that go on, of each size
  // Edges looked at, at most, about: the beam is narrower where that many sets would take more.
  std::size_t steps = 50'000'000;
};

// A beam search, by the sum of the states that StatesOfVertex estimates. Of each number of
// eliminated vertices the sets that are cheapest go on, each by the cheapest order that has led to
// it. Of a vertex's edges, those that are the last of another vertex come first, and those that
// bring a vertex into the frontier last. The same order on each run; from any vertex, whatever the
// poles.
std::vector<std::size_t> OrderByElimination(const Problem& problem,
                                            const EliminationOptions& options = {});

}  // namespace simpath
