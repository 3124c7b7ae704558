// Orders of edges by eliminating vertices: all edges of one vertex that are left, then those of
// another. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/simpath/problem/problem.h"

namespace simpath {

// The edges as they are decided when these vertices, all that have edges, are eliminated. Of a
// vertex's edges, those that are the last of another vertex come first, and those that bring a
// vertex into the frontier last.
std::vector<std::size_t> EliminateInOrder(const Problem& problem,
                                          std::span<const graph::Vertex> vertices);

// A value.
struct EliminationOptions {
  std::size_t beam = 2000;  // sets of eliminated vertices that go on, of each size
  // Edges looked at, at most, about: the beam is narrower where that many sets would take more.
  std::size_t steps = 12'000'000;
  // All vertices: none is eliminated before all but `window` of those in front of it. Empty: any.
  std::vector<graph::Vertex> near;
  std::size_t window = 0;
};

// A beam search, by the sum of the states that StatesOfVertex estimates. Of each number of
// eliminated vertices the sets that are cheapest go on, each by the cheapest order that has led to
// it. The same order on each run.
std::vector<std::size_t> OrderByElimination(const Problem& problem,
                                            const EliminationOptions& options = {});

}  // namespace simpath
