// What a solver asks of a BLAS and of LAPACK, of one thread, for any kind of number: of doubles by
// OpenBLAS, of pairs of doubles by own kernels, and of others, and as their definition, by the
// loops of this file.
//
// Threads: any. OpenBLAS has one thread each call, once UseOneThread was called.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "apps/sdpa/linear/double_double.h"

namespace sdpa {

// A value: a view of a matrix, row by row.
template <typename T>
struct Matrix {
  T* data = nullptr;
  int rows = 0, columns = 0;
  std::ptrdiff_t stride = 0;  // elements from a row to the next

  T* row(int number) const { return data + number * stride; }
  T& at(int row, int column) const { return this->row(row)[column]; }
  Matrix part(int row, int column, int part_rows, int part_columns) const {
    return {this->row(row) + column, part_rows, part_columns, stride};
  }
  operator Matrix<const T>() const  // NOLINT: as a pointer to what may be changed
      requires(!std::is_const_v<T>) {
    return {data, rows, columns, stride};
  }
};

// All elements, rows x rows.
template <typename T>
Matrix<T> Square(std::span<T> elements, int rows) {
  return {elements.data(), rows, rows, rows};
}

enum class Op { kPlain, kTransposed };

void UseOneThread();

// The lower triangle L of the matrix a, in whose place it comes: L L' = a. The upper triangle is
// neither read nor written. False where a is not positive definite, as far as can be seen.
template <typename Real>
bool FactorCholesky(Matrix<Real> a) {
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j <= i; ++j) {
      Real sum = a.at(i, j);
      for (int k = 0; k < j; ++k) sum -= a.at(i, k) * a.at(j, k);
      if (i != j) {
        a.at(i, j) = sum / a.at(j, j);
        continue;
      }
      using std::sqrt;
      if (!(sum > 0.0)) return false;
      a.at(i, i) = sqrt(sum);
    }
  }
  return true;
}
bool FactorCholesky(Matrix<double> a);
bool FactorCholesky(Matrix<DoubleDouble> a);

// c = alpha op(a) op(b) + beta c.
template <typename Real>
void Multiply(double alpha, Matrix<const Real> a, Op of_a, Matrix<const Real> b, Op of_b,
              double beta, Matrix<Real> c) {
  const int depth = of_a == Op::kPlain ? a.columns : a.rows;
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.columns; ++j) c.at(i, j) = beta == 0 ? Real(0) : beta * c.at(i, j);
    for (int k = 0; k < depth; ++k) {
      const Real factor = alpha * (of_a == Op::kPlain ? a.at(i, k) : a.at(k, i));
      for (int j = 0; j < c.columns; ++j) {
        c.at(i, j) += factor * (of_b == Op::kPlain ? b.at(k, j) : b.at(j, k));
      }
    }
  }
}
void Multiply(double alpha, Matrix<const double> a, Op of_a, Matrix<const double> b, Op of_b,
              double beta, Matrix<double> c);
void Multiply(double alpha, Matrix<const DoubleDouble> a, Op of_a, Matrix<const DoubleDouble> b,
              Op of_b, double beta, Matrix<DoubleDouble> c);

// b = op(L)^-1 b, of the lower triangle L of l.
template <typename Real>
void SolveLeft(Matrix<const Real> l, Op of_l, Matrix<Real> b) {
  const int n = l.rows;
  for (int step = 0; step < n; ++step) {
    const int i = of_l == Op::kPlain ? step : n - 1 - step;
    for (int j = 0; j < b.columns; ++j) b.at(i, j) /= l.at(i, i);
    const int begin = of_l == Op::kPlain ? i + 1 : 0, end = of_l == Op::kPlain ? n : i;
    for (int k = begin; k < end; ++k) {
      const Real factor = of_l == Op::kPlain ? l.at(k, i) : l.at(i, k);
      for (int j = 0; j < b.columns; ++j) b.at(k, j) -= factor * b.at(i, j);
    }
  }
}
void SolveLeft(Matrix<const double> l, Op of_l, Matrix<double> b);
void SolveLeft(Matrix<const DoubleDouble> l, Op of_l, Matrix<DoubleDouble> b);

// b = b L'^-1.
template <typename Real>
void SolveRightTransposed(Matrix<const Real> l, Matrix<Real> b) {
  for (int i = 0; i < b.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      Real sum = b.at(i, j);
      for (int k = 0; k < j; ++k) sum -= b.at(i, k) * l.at(j, k);
      b.at(i, j) = sum / l.at(j, j);
    }
  }
}
void SolveRightTransposed(Matrix<const double> l, Matrix<double> b);
void SolveRightTransposed(Matrix<const DoubleDouble> l, Matrix<DoubleDouble> b);

// x = op(L)^-1 x.
template <typename Real>
void SolveVector(Matrix<const Real> l, Op of_l, std::span<Real> x) {
  SolveLeft(l, of_l, Matrix<Real>{x.data(), static_cast<int>(x.size()), 1, 1});
}
void SolveVector(Matrix<const double> l, Op of_l, std::span<double> x);

// y = a x, of a symmetric matrix.
template <typename Real>
void SymmetricTimes(Matrix<const Real> a, std::span<const Real> x, std::span<Real> y) {
  for (int i = 0; i < a.rows; ++i) {
    Real sum(0);
    for (int j = 0; j < a.columns; ++j) sum += a.at(i, j) * x[static_cast<std::size_t>(j)];
    y[static_cast<std::size_t>(i)] = sum;
  }
}
void SymmetricTimes(Matrix<const double> a, std::span<const double> x, std::span<double> y);

template <typename Real>
Real Dot(std::span<const Real> a, std::span<const Real> b) {
  Real sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double Dot(std::span<const double> a, std::span<const double> b);

template <typename Real>
double NormOf(const std::vector<Real>& vector) {
  const std::span<const Real> all(vector);
  return std::sqrt(static_cast<double>(Dot(all, all)));
}

// y += factor x.
template <typename Real>
void AddTo(std::span<Real> y, Real factor, std::span<const Real> x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}
void AddTo(std::span<double> y, double factor, std::span<const double> x);

}  // namespace sdpa
