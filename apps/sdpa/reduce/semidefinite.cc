#include "apps/sdpa/reduce/semidefinite.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace sdpa {
namespace {

using Vectors = std::vector<std::vector<double>>;

// The signs of all diagonal elements, where they are alike; else, and where there are none, 0. A
// row with elements beside its diagonal has one of these, unless the matrix is indefinite.
int SignOf(const SparseMatrix& matrix) {
  int sign = 0;
  for (const auto& [block, elements] : matrix) {
    for (const auto [row, column, value] : elements) {
      if (row != column || value == 0) continue;
      const int of_this = value > 0 ? 1 : -1;
      if (sign == -of_this) return 0;
      sign = of_this;
    }
  }
  return sign;
}

Vectors UnitVectors(const std::vector<Element>& elements, int size) {
  Vectors vectors;
  for (const auto [row, column, value] : elements) {
    vectors.emplace_back(static_cast<std::size_t>(size), 0.0);
    vectors.back()[static_cast<std::size_t>(row)] = 1;
  }
  return vectors;
}

// By a Cholesky factorization with pivots, of the rows that have elements.
std::optional<Vectors> RangeOfBlock(const std::vector<Element>& elements, int sign, int size) {
  std::vector<int> rows;
  for (const auto [row, column, value] : elements) {
    if (row == column) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  const std::size_t n = rows.size();
  const auto place = [&](int row) -> std::size_t {
    const auto found = std::lower_bound(rows.begin(), rows.end(), row);
    return found != rows.end() && *found == row ? static_cast<std::size_t>(found - rows.begin())
                                                : n;
  };
  constexpr std::size_t kMostRows = 3000;
  if (n == 0 || n > kMostRows) return std::nullopt;
  std::vector<double> rest(n * n, 0);
  double largest = 0;
  for (const auto [row, column, value] : elements) {
    const std::size_t i = place(row), j = place(column);
    if (i == n || j == n) return std::nullopt;
    rest[i * n + j] = rest[j * n + i] = sign * value;
    if (i == j) largest = std::max(largest, sign * value);
  }
  const double nothing = 1e-14 * largest * static_cast<double>(n);
  Vectors vectors;
  for (;;) {
    std::size_t pivot = 0;
    for (std::size_t i = 1; i < n; ++i) {
      if (rest[i * n + i] > rest[pivot * n + pivot]) pivot = i;
    }
    if (rest[pivot * n + pivot] <= nothing) break;
    if (vectors.size() == kMostRank) return std::nullopt;
    std::vector<double> column(n);
    const double root = std::sqrt(rest[pivot * n + pivot]);
    for (std::size_t i = 0; i < n; ++i) column[i] = rest[i * n + pivot] / root;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) rest[i * n + j] -= column[i] * column[j];
    }
    std::vector<double>& vector = vectors.emplace_back(static_cast<std::size_t>(size), 0.0);
    for (std::size_t i = 0; i < n; ++i) vector[static_cast<std::size_t>(rows[i])] = column[i];
  }
  const bool is_all = std::all_of(rest.begin(), rest.end(),
                                  [&](double value) { return std::abs(value) <= nothing; });
  if (!is_all) return std::nullopt;
  return vectors;
}

}  // namespace

std::optional<Range> RangeIfSemidefinite(const SparseMatrix& matrix,
                                         const std::vector<Block>& blocks) {
  Range range = {.sign = SignOf(matrix), .vectors = {}};
  if (range.sign == 0) return std::nullopt;
  for (const auto& [block, elements] : matrix) {
    const auto& [shape, size] = blocks[static_cast<std::size_t>(block)];
    std::optional<Vectors> vectors = shape == Shape::kDiagonal
                                         ? std::optional(UnitVectors(elements, size))
                                         : RangeOfBlock(elements, range.sign, size);
    if (!vectors) return std::nullopt;
    range.vectors[block] = *std::move(vectors);
  }
  return range;
}

}  // namespace sdpa
