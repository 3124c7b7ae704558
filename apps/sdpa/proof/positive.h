// Is a matrix positive definite or semidefinite, in numbers of more digits than a double has? Pure.
#pragma once

#include <span>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// The least number of a series, 0 first, which added to the diagonal makes the matrix one that has
// a Cholesky factor: how negative its eigenvalues are, but for the roundings of the factorization.
// 0 for zeros, infinity where an element is not finite.
long double ShiftToPositive(std::span<const double> matrix, const Block& block);

// Are all eigenvalues above `least`, whatever the factorization rounded?
bool IsPositive(std::span<const double> matrix, const Block& block, long double least);

}  // namespace sdpa
