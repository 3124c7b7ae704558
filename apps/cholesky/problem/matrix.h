// The matrix that is factorized, and the check of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "taskrt/tile.h"
#include "taskrt/workloads/cholesky_kernels.h"

namespace cholesky {

// A resource: n by n, row by row, symmetric and positive definite.
class Matrix {
 public:
  // `is_dry`: without memory.
  Matrix(int n, Precision precision, std::uint64_t seed, bool is_dry);

  // Block (row, column) of blocks of b by b.
  taskrt::Tile BlockAt(int row, int column, int b);

  // Makes it not positive definite in that column, to see the error.
  void Spoil(int column);
  // The first column of U whose diagonal element is not a positive number.
  std::optional<int> NotPositive() const;

  // ‖A - UᵀU‖ / ‖A‖ (Frobenius), where the upper triangle now holds U.
  double Residual() const;

 private:
  std::size_t size() const { return static_cast<std::size_t>(n_); }

  const int n_;
  const Precision precision_;
  std::vector<float> original32_, values32_;  // one pair of these is used
  std::vector<double> original64_, values64_;
};

}  // namespace cholesky
