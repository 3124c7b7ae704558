// A point of an interior-point method.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// A value. x, X = F_1 x_1 + ... - F_0 as far as it is feasible, and Y.
template <typename Real>
struct Point {
  std::vector<Real> x;
  BlockMatrix<Real> slack;  // X
  BlockMatrix<Real> dual;   // Y
};

template <typename Real>
SolutionValues ValuesOf(const Point<Real>& point) {
  const auto each = [](std::span<const Real> numbers, const auto& part) {
    std::vector<double> doubles(numbers.size());
    std::transform(numbers.begin(), numbers.end(), doubles.begin(), part);
    return doubles;
  };
  const auto high = [](const Real& number) { return static_cast<double>(number); };
  const std::size_t blocks = point.slack.layout().blocks.size();
  SolutionValues values = {.x = each(point.x, high), .slack = {}, .dual = {}};
  for (std::size_t l = 0; l < blocks; ++l) {
    values.slack.push_back(each(point.slack.elements(l), high));
    values.dual.push_back(each(point.dual.elements(l), high));
  }
  if constexpr (!std::is_same_v<Real, double>) {
    const auto low = [](const Real& number) { return number.low(); };
    values.low.x = each(point.x, low);
    for (std::size_t l = 0; l < blocks; ++l) {
      values.low.slack.push_back(each(point.slack.elements(l), low));
      values.low.dual.push_back(each(point.dual.elements(l), low));
    }
  }
  return values;
}

}  // namespace sdpa
