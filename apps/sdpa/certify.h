// How far a point is from being a solution, computed again from the problem, in long double, by
// nothing that the solver uses but, where the point is one of pairs of doubles, their arithmetic.
// Pure.
//
// Source: H. D. Mittelmann, An independent benchmarking of SDP and SOCP solvers, Math. Programming
// 95, 2003 (the DIMACS errors); the norm of the denominators is the largest absolute component.
#pragma once

#include <array>
#include <limits>
#include <span>

#include "apps/sdpa/files/solution.h"
#include "apps/sdpa/problem.h"

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

// A value: how far a point is from a proof that a problem has no solution, by the same means. Y
// over F_0.Y proves that no x is feasible where F.Y is 0 and Y positive semidefinite; x over -c'x
// that no Y is, where F_1 x_1 + ... is positive semidefinite. Solutions are measured in the
// problem's own units, so that scaling F, F_0 or c changes nothing: x_i in |F_0| / |F_i|, X in
// |F_0|, and Y in the largest |c_i| / |F_i|.
struct InfeasibilityProof {
  double residual = 0;  // |F.Y|; 0 of a proof by x
  double shift = 0;     // which makes Y, or F_1 x_1 + ..., positive semidefinite
  // No solution is smaller than this: by Y none whose |x| + tr X is, by x none whose tr Y is.
  // Infinity: there is none at all.
  double least_size = 0;

  // Is it shown that there is no solution of any size, whatever was lost in roundings?
  bool IsProof() const { return least_size > std::numeric_limits<double>::max(); }
};

// No proof: the numbers are not finite, or F_0.Y, or -c'x, is not above 0; least_size is 0 then.
InfeasibilityProof ProvePrimalInfeasible(const Problem& problem, const SolutionValues& claim);
InfeasibilityProof ProveDualInfeasible(const Problem& problem, const SolutionValues& claim);

// The least number of a series, 0 first, which added to the diagonal makes the matrix one that has
// a Cholesky factor: a bound of how negative its eigenvalues are. 0 for zeros, infinity where an
// element is not finite.
long double ShiftToPositive(std::span<const double> matrix, const Block& block);

}  // namespace sdpa
