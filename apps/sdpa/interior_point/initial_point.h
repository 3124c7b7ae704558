// The initial point, cold or warm.
//
// A run that begins near the boundary of the cone, as at a solution of a problem that is a little
// different, makes short steps along it, and is slower than one from far inside. So X and Y of such
// a point are moved inside as far as their errors say that the problem differs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "apps/sdpa/interior_point/norms.h"
#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// Far inside the cone: X and Y are multiples of I, of `start`, or, where that is 0, by the numbers
// of the problem.
//
// Source: K. C. Toh, M. J. Todd and R. H. Tütüncü, SDPT3, 1999, the same for all blocks.
template <typename Real>
Point<Real> InitialPoint(const std::shared_ptr<const Layout>& layout, const Norms& norms,
                         std::size_t constraints, double start) {
  const auto rows = static_cast<double>(layout->rows);
  const double of_dual = std::max(10.0, rows * norms.largest_ratio);
  const double of_slack = std::max(
      {10 * norms.unit, std::sqrt(rows) * norms.unit, norms.largest_matrix, norms.constant});
  Point<Real> point = {.x = std::vector<Real>(constraints, Real(0)),
                       .slack = BlockMatrix<Real>(layout),
                       .dual = BlockMatrix<Real>(layout)};
  point.slack.AddToDiagonal(Real(start > 0 ? start : of_slack));
  point.dual.AddToDiagonal(Real(start > 0 ? start : of_dual));
  return point;
}

template <typename Real>
Point<Real> PointOf(const std::shared_ptr<const Layout>& layout, const SolutionValues& values) {
  const auto copy = [](const std::vector<double>& high, const std::vector<double>* low, auto to) {
    for (std::size_t i = 0; i < high.size(); ++i, ++to) {
      *to = Real(high[i]);
      if constexpr (!std::is_same_v<Real, double>) {
        if (low != nullptr) *to += Real((*low)[i]);
      }
    }
  };
  const SolutionValues::Low* const low = values.low.x.empty() ? nullptr : &values.low;
  Point<Real> point = {.x = std::vector<Real>(values.x.size()),
                       .slack = BlockMatrix<Real>(layout),
                       .dual = BlockMatrix<Real>(layout)};
  copy(values.x, low ? &low->x : nullptr, point.x.begin());
  for (std::size_t l = 0; l < values.slack.size(); ++l) {
    copy(values.slack[l], low ? &low->slack[l] : nullptr, point.slack.elements(l).begin());
    copy(values.dual[l], low ? &low->dual[l] : nullptr, point.dual.elements(l).begin());
  }
  return point;
}

// Is the point useless for this problem? Then an error is at least half as large as its numbers.
inline bool IsForeign(const Quality& quality) {
  constexpr double kLarge = 0.5;
  return !(std::max(quality.primal_error, quality.dual_error) < kLarge);
}

// The absolute values on the diagonal, summed.
template <typename Real>
double DiagonalSum(const BlockMatrix<Real>& matrix) {
  double sum = 0;
  for (std::size_t l = 0; l < matrix.layout().blocks.size(); ++l) {
    const auto [shape, size] = matrix.layout().blocks[l];
    const std::size_t step = shape == Shape::kDense ? static_cast<std::size_t>(size) + 1 : 1;
    const auto elements = matrix.elements(l);
    for (std::size_t i = 0; i < elements.size(); i += step) {
      sum += std::abs(static_cast<double>(elements[i]));
    }
  }
  return sum;
}

// Adds multiples of I to X and Y, so that X.Y over the objectives is not below the errors of the
// constraints: the point is as near to the path, relatively, as one from far inside that has come
// to these errors. `quality` is the point's.
template <typename Real>
void MoveInside(const Quality& quality, Point<Real>& point) {
  const double product = std::max(quality.primal_error, quality.dual_error) *
                         (1 + std::abs(quality.primal) + std::abs(quality.dual));
  const auto rows = static_cast<double>(point.slack.layout().rows);
  if (!(product > std::abs(quality.mu) * rows)) return;
  // Where X or Y is 0 its sum is too small to divide by, and the multiple of I is I itself.
  const double of_slack = product / std::max(DiagonalSum(point.dual), product),
               of_dual = product / std::max(DiagonalSum(point.slack), product);
  point.slack.AddToDiagonal(Real(of_slack));
  point.dual.AddToDiagonal(Real(of_dual));
}

// Adds a multiple of I where the matrix is not positive definite; its factor. None where a number
// of the matrix is not finite.
template <typename Real>
std::optional<CholeskyFactor<Real>> MakePositiveDefinite(BlockMatrix<Real>& matrix) {
  double shift = 1e-10 * std::max(1.0, LargestOf(matrix));
  auto factor = CholeskyFactor<Real>::Of(matrix);
  for (; !factor && std::isfinite(shift); shift *= 10) {
    matrix.AddToDiagonal(Real(shift));
    factor = CholeskyFactor<Real>::Of(matrix);
  }
  return factor;
}

}  // namespace sdpa
