// One element of the Schur complement's matrix in one block, B_ij = tr(F_i Y F_j X^-1), by the
// three formulas between which SDPA chooses. The BLAS aside, values in and values out.
//
// Y and X^-1 (X and Z^-1 in other papers) are n x n, symmetric, all elements one row after the
// other. F_i and F_j are sparse. Sums are in a fixed order, so that each result is the same to the
// last bit wherever it is computed.
//
// Source: [ULIBC14] section 4.3 (ELEMENTS); K. Fujisawa, M. Kojima and K. Nakata, Exploiting
// sparsity in primal-dual interior-point methods for semidefinite programming, Math. Programming
// 79, 1997.
#pragma once

#include <cstddef>
#include <span>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value: a view of a block of Y or of X^-1.
struct DenseBlock {
  std::size_t size = 0;  // rows
  std::span<const double> elements;

  double at(int row, int column) const {
    return elements[static_cast<std::size_t>(row) * size + static_cast<std::size_t>(column)];
  }
  std::span<const double> row(std::size_t number) const {
    return elements.subspan(number * size, size);
  }
};

// X^-1 F_j, which F1 and F2 begin with: n * NonZeros(F_j) multiplications (rank_one.h).
void TimesInverse(const DenseBlock& inverse, std::span<const Element> f_j,
                  std::span<double> product);

// U = Y F_j X^-1, by `product` = X^-1 F_j: n³ multiplications, by the BLAS. F1 takes all B_ij from
// it.
void Sandwich(const DenseBlock& y, std::span<const double> product, std::span<double> u);

// The formulas' B_ij, once their parts are there.
double ByF1(std::span<const Element> f_i, const DenseBlock& u);
double ByF2(std::span<const Element> f_i, const DenseBlock& y, const DenseBlock& product);
double ByF3(std::span<const Element> f_i, std::span<const Element> f_j, const DenseBlock& y,
            const DenseBlock& inverse);

}  // namespace sdpa
