// Sums and factorizations in numbers of more digits than a double has: long double, or pairs of
// doubles. Pure.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "apps/sdpa/problem.h"

namespace sdpa {

// As SolutionValues' blocks.
template <typename Number>
using BlocksOf = std::vector<std::vector<Number>>;

inline std::size_t IndexIn(const Block& block, int row, int column) {
  if (block.shape == Shape::kDiagonal) return static_cast<std::size_t>(row);
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(block.size) +
         static_cast<std::size_t>(column);
}

template <typename Long>
Long MagnitudeOf(const Long& value) {
  return value < Long(0) ? Long(0) - value : value;
}

// matrix . with.
template <typename Long, typename Number>
Long ExactDot(const Problem& problem, const SparseMatrix& matrix, const BlocksOf<Number>& with) {
  Long sum(0);
  for (const auto& [number, elements] : matrix) {
    const auto l = static_cast<std::size_t>(number);
    for (const auto [row, column, value] : elements) {
      Long other(with[l][IndexIn(problem.blocks[l], row, column)]);
      if (row != column) other += Long(with[l][IndexIn(problem.blocks[l], column, row)]);
      sum += Long(value) * other;
    }
  }
  return sum;
}

// sum += scale matrix.
template <typename Long>
void ExactAdd(const Problem& problem, const SparseMatrix& matrix, Long scale, BlocksOf<Long>& sum) {
  for (const auto& [number, elements] : matrix) {
    const auto l = static_cast<std::size_t>(number);
    const Block& block = problem.blocks[l];
    for (const auto [row, column, value] : elements) {
      sum[l][IndexIn(block, row, column)] += scale * Long(value);
      if (row != column) sum[l][IndexIn(block, column, row)] += scale * Long(value);
    }
  }
}

// Row by row, of the lower triangle of matrix + shift I; none where that is not positive definite.
template <typename Long, typename Number>
std::optional<std::vector<Long>> ExactCholesky(std::span<const Number> matrix, std::size_t n,
                                               Long shift) {
  using std::sqrt;
  std::vector<Long> l(n * n, Long(0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Long sum = Long(matrix[i * n + j]) + (i == j ? shift : Long(0));
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i != j) {
        l[i * n + j] = sum / l[j * n + j];
      } else if (sum > Long(0)) {
        l[i * n + i] = sqrt(sum);
      } else {
        return std::nullopt;
      }
    }
  }
  return l;
}

}  // namespace sdpa
