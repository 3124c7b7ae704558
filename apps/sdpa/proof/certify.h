// How far a point is from being a solution, computed again from the problem, in long double, by
// nothing that the solver uses but, where the point is one of pairs of doubles, their arithmetic.
// Pure.
//
// Source: H. D. Mittelmann, An independent benchmarking of SDP and SOCP solvers, Math. Programming
// 95, 2003 (the DIMACS errors); the norm of the denominators is the largest absolute component.
#pragma once

#include <array>

#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// A value.
struct Certificate {
  double primal = 0, dual = 0;  // objectives
  // 1: |F.Y - c|, 2: how far Y is from positive semidefinite, 3: |F_1 x_1 + ... - F_0 - X|, 4: how
  // far X is, 5: primal - dual objective, 6: X.Y. Each over 1 and the size of what it is compared
  // with.
  std::array<double, 6> errors = {};
  // What errors 3 and 1 are before they are divided.
  double primal_residual = 0, dual_residual = 0;
  double mu = 0;  // X.Y over the rows

  // Returns the largest absolute value of the six errors, or NaN if an error is NaN.
  double largest_error() const;
};

Certificate Certify(const Problem& problem, const SolutionValues& claim);

}  // namespace sdpa
