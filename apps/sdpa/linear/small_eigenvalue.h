// The least eigenvalue of L^-1 D L'^-1 of a few rows, for problems of thousands of small blocks:
// the whole matrix is made and becomes tridiagonal. Lanczos' method (lanczos.h) takes seven times
// as long for five rows, most of it in calls of a BLAS.
//
// Source: G. H. Golub and C. F. Van Loan, Matrix Computations, 1996, algorithm 8.3.1.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/lanczos.h"

namespace sdpa {

// For 16 and for 20 rows Lanczos' method takes twice as long, for 24 rows no longer.
inline constexpr int kMostSmallRows = 16;

// A value: a tridiagonal matrix of a few rows.
struct SmallTridiagonal {
  std::array<double, kMostSmallRows> diagonal, beside;
};

// By Householder's reflections; of the lower triangle of n rows, which is overwritten.
SmallTridiagonal TridiagonalOf(std::span<double> a, std::size_t n);

// Of a lower triangle `l` and a symmetric `d` of at most kMostSmallRows rows; below the eigenvalue
// by a thousandth of its size or, where it is small, of 1.
template <typename Real>
double LeastEigenvalueOfSmall(Matrix<const Real> l, Matrix<const Real> d) {
  const int n = l.rows;
  const auto rows = static_cast<std::size_t>(n);
  std::array<Real, kMostSmallRows * kMostSmallRows> solved;
  std::array<Real, kMostSmallRows> inverse;
  const auto at = [rows](int i, int j) {
    return static_cast<std::size_t>(i) * rows + static_cast<std::size_t>(j);
  };
  // L^-1 D, of which the lower triangle and the rows above are needed.
  for (int i = 0; i < n; ++i) {
    inverse[static_cast<std::size_t>(i)] = Real(1) / l.at(i, i);
    for (int j = 0; j < n; ++j) solved[at(i, j)] = j <= i ? d.at(i, j) : d.at(j, i);
    for (int k = 0; k < i; ++k) {
      const Real factor = l.at(i, k);
      for (int j = 0; j < n; ++j) solved[at(i, j)] -= factor * solved[at(k, j)];
    }
    for (int j = 0; j < n; ++j) solved[at(i, j)] *= inverse[static_cast<std::size_t>(i)];
  }
  // That times L'^-1: the lower triangle.
  std::array<double, kMostSmallRows * kMostSmallRows> a;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      Real sum = solved[at(i, j)];
      for (int k = 0; k < j; ++k) sum -= solved[at(i, k)] * l.at(j, k);
      solved[at(i, j)] = sum * inverse[static_cast<std::size_t>(j)];
      a[at(i, j)] = static_cast<double>(solved[at(i, j)]);
    }
  }
  const SmallTridiagonal tridiagonal = TridiagonalOf(std::span(a).first(rows * rows), rows);
  return BelowLeastOfTridiagonal(std::span(tridiagonal.diagonal).first(rows),
                                 std::span(tridiagonal.beside).first(rows - 1), 1e-3);
}

}  // namespace sdpa
