#include "apps/sdpa/elements/rank_one.h"

#include <algorithm>
#include <cmath>

namespace sdpa {

std::size_t NonZeros(std::span<const Element> matrix) {
  std::size_t count = 0;
  for (const Element& element : matrix) count += element.row == element.column ? 1 : 2;
  return count;
}

std::optional<RankOne> AsRankOne(std::span<const Element> matrix) {
  // The largest element of a a' is on its diagonal.
  const Element* pivot = nullptr;
  for (const Element& element : matrix) {
    if (element.row != element.column) continue;
    if (pivot == nullptr || std::abs(element.value) > std::abs(pivot->value)) pivot = &element;
  }
  if (pivot == nullptr) return std::nullopt;
  RankOne rank_one = {.scale = pivot->value > 0 ? 1.0 : -1.0, .rows = {}, .values = {}};
  const double root = std::sqrt(std::abs(pivot->value));
  std::vector<Element> of_pivot;  // its column, by row
  for (const Element& element : matrix) {
    if (element.column == pivot->row) of_pivot.push_back({element.row, 0, element.value});
    if (element.row == pivot->row && element.column != pivot->row) {
      of_pivot.push_back({element.column, 0, element.value});
    }
  }
  std::sort(of_pivot.begin(), of_pivot.end(),
            [](const Element& a, const Element& b) { return a.row < b.row; });
  for (const Element& element : of_pivot) {
    rank_one.rows.push_back(element.row);
    rank_one.values.push_back(rank_one.scale * element.value / root);
  }
  const std::size_t n = rank_one.rows.size();
  if (NonZeros(matrix) != n * n) return std::nullopt;
  constexpr double kLastBits = 8 * 2.220446049250313e-16;
  std::size_t i = 0, j = 0;  // the next element of a a', row by row
  for (const Element& element : matrix) {
    if (element.row != rank_one.rows[i] || element.column != rank_one.rows[j]) return std::nullopt;
    const double product = rank_one.scale * rank_one.values[i] * rank_one.values[j];
    if (std::abs(element.value - product) > kLastBits * std::abs(product)) return std::nullopt;
    if (++j == n) j = ++i;
  }
  return rank_one;
}

}  // namespace sdpa
