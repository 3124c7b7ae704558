// The order in which columns of the Schur complement's matrix are computed. Pure.
//
// Source: K. Fujisawa, M. Kojima and K. Nakata, Exploiting sparsity in primal-dual interior-point
// methods for semidefinite programming, Math. Programming 79, 1997.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// The constraints of the problem, those with the most elements first: their columns take the
// longest, and a column pairs its matrix with emptier ones.
std::vector<std::size_t> FullestFirst(const Problem& problem);

// Constraint i is what was constraint order[i].
Problem Reordered(const Problem& problem, const std::vector<std::size_t>& order);

}  // namespace sdpa
