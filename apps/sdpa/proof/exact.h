// Sums and factorizations in numbers of more digits than a double has: long double, or pairs of
// doubles. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "apps/sdpa/problem/problem.h"

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
// The sums of four elements of a row go on side by side: a sum waits for its last operation.
template <typename Long, typename Number>
std::optional<std::vector<Long>> ExactCholesky(std::span<const Number> matrix, std::size_t n,
                                               Long shift) {
  using std::sqrt;
  constexpr std::size_t kSums = 4;
  std::vector<Long> l(n * n, Long(0));
  for (std::size_t i = 0; i < n; ++i) {
    Long* const row = l.data() + i * n;
    for (std::size_t begin = 0; begin <= i; begin += kSums) {
      Long sums[kSums];
      const Long* others[kSums];
      const std::size_t count = std::min(kSums, i + 1 - begin);
      for (std::size_t c = 0; c < kSums; ++c) {
        const std::size_t j = begin + std::min(c, count - 1);
        others[c] = l.data() + j * n;
        sums[c] = Long(matrix[i * n + j]) + (i == j ? shift : Long(0));
      }
      // By name: an array of sums would be in memory, not in registers.
      Long first = sums[0], second = sums[1], third = sums[2], fourth = sums[3];
      for (std::size_t k = 0; k < begin; ++k) {
        const Long factor = row[k];
        first -= factor * others[0][k];
        second -= factor * others[1][k];
        third -= factor * others[2][k];
        fourth -= factor * others[3][k];
      }
      sums[0] = first, sums[1] = second, sums[2] = third, sums[3] = fourth;
      for (std::size_t c = 0; c < count; ++c) {
        const std::size_t j = begin + c;
        for (std::size_t k = begin; k < j; ++k) sums[c] -= row[k] * others[c][k];
        if (i != j) {
          row[j] = sums[c] / others[c][j];
        } else if (sums[c] > Long(0)) {
          row[i] = sqrt(sums[c]);
        } else {
          return std::nullopt;
        }
      }
    }
  }
  return l;
}

// values = (l l')^-1 values, of ExactCholesky's l.
template <typename Long>
void SolveByCholesky(const std::vector<Long>& l, std::size_t n, std::vector<Long>& values) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) values[i] -= l[i * n + k] * values[k];
    values[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    values[i] /= l[i * n + i];
    for (std::size_t k = 0; k < i; ++k) values[k] -= l[i * n + k] * values[i];
  }
}

}  // namespace sdpa
