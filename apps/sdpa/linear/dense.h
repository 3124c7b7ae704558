// Operations on one large block by all workers of a pool: stripes of a fixed height, so that each
// result is the same to the last bit for any number of workers.
//
// Threads: from lightweight threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "apps/sdpa/linear/blas.h"
#include "lwt/parallel.h"

namespace sdpa {

inline constexpr int kStripe = 128;  // rows

// a_ij and a_ji become combine(a_ij, a_ji), of rows `begin` to `end` - 1 and j <= i. Tile by tile:
// a column of a large matrix is a page an element.
template <typename Real, typename Combine>
void CombineWithTransposed(Matrix<Real> a, int begin, int end, const Combine& combine) {
  constexpr int kTile = 32;
  for (int row = begin; row < end; row += kTile) {
    for (int column = 0; column <= row; column += kTile) {
      for (int i = row; i < std::min(row + kTile, end); ++i) {
        for (int j = column; j < std::min(column + kTile, i + 1); ++j) {
          a.at(i, j) = a.at(j, i) = combine(a.at(i, j), a.at(j, i));
        }
      }
    }
  }
}

// a = a + a', by the calling thread.
template <typename Real>
void AddTransposed(Matrix<Real> a) {
  CombineWithTransposed(a, 0, a.rows, [](Real one, Real other) { return one + other; });
}

// Calls body(begin, end) for stripes of `rows`.
template <typename Body>
void ForEachStripe(int rows, const Body& body) {
  const int stripes = (rows + kStripe - 1) / kStripe;
  lwt::ParallelFor(0, stripes, 1, [&](std::int64_t stripe, std::int64_t) {
    const int begin = static_cast<int>(stripe) * kStripe;
    body(begin, std::min(rows, begin + kStripe));
  });
}

// Calls body(row, column) for the first row and column of each tile of stripes whose first column
// is at most its first row.
template <typename Body>
void ForEachLowerTile(int begin, int rows, const Body& body) {
  ForEachStripe(rows - begin, [&](int row, int) {
    ForEachStripe(row + 1, [&](int column, int) { body(begin + row, begin + column); });
  });
}

// c = alpha a b + beta c.
template <typename Real>
void ParallelMultiply(double alpha, Matrix<const Real> a, Matrix<const Real> b, double beta,
                      Matrix<Real> c) {
  ForEachStripe(c.rows, [&](int begin, int end) {
    Multiply(alpha, a.part(begin, 0, end - begin, a.columns), Op::kPlain, b, Op::kPlain, beta,
             c.part(begin, 0, end - begin, c.columns));
  });
}

// As FactorCholesky (blas.h).
template <typename Real>
bool ParallelCholesky(Matrix<Real> a) {
  const int n = a.rows;
  for (int k = 0; k < n; k += kStripe) {
    const int width = std::min(kStripe, n - k), next = k + width;
    const Matrix<Real> diagonal = a.part(k, k, width, width);
    if (!FactorCholesky(diagonal)) return false;
    ForEachStripe(n - next, [&](int begin, int end) {
      SolveRightTransposed(Matrix<const Real>(diagonal),
                           a.part(next + begin, k, end - begin, width));
    });
    ForEachLowerTile(next, n, [&](int row, int column) {
      const int rows = std::min(kStripe, n - row), columns = std::min(kStripe, n - column);
      Multiply(-1, Matrix<const Real>(a.part(row, k, rows, width)), Op::kPlain,
               Matrix<const Real>(a.part(column, k, columns, width)), Op::kTransposed, 1,
               a.part(row, column, rows, columns));
    });
  }
  return true;
}

// The inverse, all elements, of the matrix whose Cholesky factor is l. `scratch`: as large.
template <typename Real>
void InverseOfFactor(Matrix<const Real> l, Matrix<Real> scratch, Matrix<Real> inverse) {
  const int n = l.rows;
  // scratch = L^-1, a stripe of columns at a time; nothing above the diagonal's stripes is used.
  ForEachStripe(n, [&](int begin, int end) {
    const Matrix<Real> columns = scratch.part(begin, begin, n - begin, end - begin);
    for (int i = 0; i < columns.rows; ++i) {
      std::fill_n(columns.row(i), columns.columns, Real(0));
      if (i < columns.columns) columns.at(i, i) = Real(1);
    }
    SolveLeft(l.part(begin, begin, n - begin, n - begin), Op::kPlain, columns);
  });
  ForEachLowerTile(0, n, [&](int row, int column) {
    const int rows = std::min(kStripe, n - row), columns = std::min(kStripe, n - column);
    const Matrix<Real> tile = inverse.part(row, column, rows, columns);
    Multiply(1, Matrix<const Real>(scratch.part(row, row, n - row, rows)), Op::kTransposed,
             Matrix<const Real>(scratch.part(row, column, n - row, columns)), Op::kPlain, 0, tile);
    for (int i = 0; i < rows; ++i) {
      // On the diagonal the tile's own upper part.
      const int of_row = row == column ? i : columns;
      for (int j = 0; j < of_row; ++j) inverse.at(column + j, row + i) = tile.at(i, j);
    }
  });
}

}  // namespace sdpa
