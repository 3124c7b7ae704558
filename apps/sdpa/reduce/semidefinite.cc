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

// By a Cholesky factorization with pivots, of the rows that have elements.
std::optional<Vectors> RangeOfBlock(const std::vector<Element>& elements, int sign, int size,
                                    double& work) {
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
  if (n == 0) return std::nullopt;
  // A row without elements beside its diagonal is a rank of its own.
  std::vector<bool> is_alone(n, true);
  for (const auto [row, column, value] : elements) {
    if (row == column) continue;
    for (const int each : {row, column}) {
      if (place(each) < n) is_alone[place(each)] = false;
    }
  }
  if (static_cast<std::size_t>(std::count(is_alone.begin(), is_alone.end(), true)) > kMostRank) {
    return std::nullopt;
  }
  const double products_a_rank = static_cast<double>(n) * static_cast<double>(n);
  if (products_a_rank > work) return std::nullopt;
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
    work -= products_a_rank;
    if (vectors.size() == kMostRank || work < 0) return std::nullopt;
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
                                         const std::vector<Block>& blocks, double& work) {
  Range range = {.sign = SignOf(matrix), .vectors = {}, .rows = {}};
  if (range.sign == 0) return std::nullopt;
  for (const auto& [block, elements] : matrix) {
    const auto& [shape, size] = blocks[static_cast<std::size_t>(block)];
    if (shape == Shape::kDiagonal) {
      for (const Element& element : elements) range.rows[block].push_back(element.row);
      continue;
    }
    std::optional<Vectors> vectors = RangeOfBlock(elements, range.sign, size, work);
    if (!vectors) return std::nullopt;
    range.vectors[block] = *std::move(vectors);
  }
  return range;
}

}  // namespace sdpa
