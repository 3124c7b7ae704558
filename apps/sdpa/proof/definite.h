// Is a matrix positive definite, by a Cholesky factorization in doubles and a bound of all its
// roundings: a tenth of the time that long double takes, where the answer is not within the bound.
// Pure.
//
// Source: S. M. Rump, Verification of positive definiteness, BIT Numerical Mathematics 46, 2006;
// N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorem 10.7.
#pragma once

#include <cstddef>
#include <span>

namespace sdpa {

enum class Definite { kYes, kNo, kUnclear };

// Of matrix + shift I, of which the lower triangle is read, row by row. kUnclear: an eigenvalue is
// as near to 0 as roundings are large, or a number is too large for products.
Definite DefiniteByDoubles(std::span<const double> matrix, std::size_t n, double shift);

// Does matrix + shift I have a Cholesky factor in doubles? Roundings may have made it so.
bool HasRoundedCholeskyFactor(std::span<const double> matrix, std::size_t n, double shift);

}  // namespace sdpa
