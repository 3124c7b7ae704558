// Proofs that a problem has no solution, computed from the problem and a point alone, with bounds
// of all that roundings lose. Pure.
#pragma once

#include <limits>

#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// A value: how far a point is from a proof that a problem has no solution. Y
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

}  // namespace sdpa
