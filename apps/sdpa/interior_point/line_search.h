// The line search: shortens the steps of X and Y until both are positive definite; the two run at
// the same time. The first length is by CholeskyFactor::LargestStep.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "apps/sdpa/linear/block_matrix.h"
#include "lwt/parallel.h"

namespace sdpa {

// Calls both at the same time, where there are two workers.
template <typename One, typename Other>
void InParallel(const One& one, const Other& other) {
  lwt::ParallelFor(0, 2, 1, [&](std::int64_t number, std::int64_t) {
    if (number == 0) {
      one();
    } else {
      other();
    }
  });
}

// A value: X or Y and its factor.
template <typename Real>
struct Factored {
  BlockMatrix<Real> matrix;
  CholeskyFactor<Real> factor;
};

// Backtracks: matrix + step direction, by a shorter step where that is not positive definite; none
// where it would be too short.
template <typename Real>
std::optional<Factored<Real>> Backtrack(double& step, const BlockMatrix<Real>& direction,
                                        const BlockMatrix<Real>& matrix) {
  constexpr double kShorter = 0.8, kLeast = 1e-8;
  for (; step > kLeast; step *= kShorter) {
    BlockMatrix<Real> moved = matrix;
    moved.Add(Real(step), direction);
    if (auto factor = CholeskyFactor<Real>::Of(moved)) {
      return Factored<Real>{std::move(moved), *std::move(factor)};
    }
  }
  return std::nullopt;
}

}  // namespace sdpa
