// The stiffest truss of a given volume: bars between the nodes of a grid, whose first column is
// fixed, get volumes t_i so that the worst of several loads f does as little work tau as can be:
//
//   [ tau  f'  ]
//   [  f  K(t) ]  positive semidefinite for each load,  K(t) = sum of t_i b_i b_i',
//   t_i >= 0, t_1 + ... <= the number of bars.
//
// A small dense block for each load, in which each bar's matrix is of rank 1, and a diagonal one.
// Pure.
//
// Source: A. Ben-Tal and A. Nemirovski, Robust truss topology design via semidefinite programming,
// SIAM J. Optimization 7, 1997.
#pragma once

#include <cstdint>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value.
struct TrussOptions {
  int rows = 3, columns = 4;  // of nodes: at least 2 each
  int reach = 2;              // of a bar, in rows and in columns
  int loads = 33;
  std::uint64_t seed = 1;
};

// How many; the problem has one constraint more.
int BarsOf(const TrussOptions& options);

Problem Truss(const TrussOptions& options);

}  // namespace sdpa
