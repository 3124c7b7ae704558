// A lower bound of the least eigenvalue of L^-1 D L'^-1, from which the step follows that leaves
// L L' + s D positive definite.
//
// Source: K. C. Toh, A note on the calculation of step-lengths in interior-point methods for
// semidefinite programming, Computational Optimization and Applications 21, 2002.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/sdpa/linear/blas.h"

namespace sdpa {

// At most the least eigenvalue of the tridiagonal matrix with `diagonal` and, beside it, `beside`,
// by `error` of its size or, where it is small, of 1.
double BelowLeastOfTridiagonal(std::span<const double> diagonal, std::span<const double> beside,
                               double error);

// A value: of the tridiagonal matrix with `diagonal` and, beside it, `beside` the least eigenvalue,
// and the absolute last component of its eigenvector, of length 1.
struct LeastPair {
  double value = 0;
  double last = 0;
};
LeastPair LeastOfTridiagonal(std::span<const double> diagonal, std::span<const double> beside);

// Of a lower triangle `l` and a symmetric `d`. The bound is below the eigenvalue by about a
// hundredth of its size or, where it is small, of 1; it is no proof, as a vector can be unlucky.
template <typename Real>
double LeastEigenvalueBound(Matrix<const Real> l, Matrix<const Real> d) {
  const auto n = static_cast<std::size_t>(l.rows);
  std::vector<Real> basis;  // all vectors, one after the other, so that they stay orthogonal
  std::vector<double> diagonal, beside;
  std::vector<Real> vector(n), product(n);
  // Components of many sizes, the same each time.
  std::uint64_t random = 0x9e3779b97f4a7c15;
  for (Real& component : vector) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    component = Real(static_cast<double>(random >> 11) * 0x1p-53 - 0.5);
  }
  double length = NormOf(vector), largest = 1;
  while (true) {
    for (Real& component : vector) component = component / Real(length);
    basis.insert(basis.end(), vector.begin(), vector.end());
    SolveVector(l, Op::kTransposed, std::span<Real>(vector));
    SymmetricTimes(d, std::span<const Real>(vector), std::span<Real>(product));
    SolveVector(l, Op::kPlain, std::span<Real>(product));
    std::swap(vector, product);
    const std::span<const Real> all = basis;
    diagonal.push_back(static_cast<double>(Dot(std::span<const Real>(vector), all.last(n))));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t other = 0; other < all.size(); other += n) {
        const Real along = Dot(std::span<const Real>(vector), all.subspan(other, n));
        AddTo(std::span<Real>(vector), -along, all.subspan(other, n));
      }
    }
    length = NormOf(vector);
    largest = std::max(largest, std::abs(diagonal.back()));
    // A few vectors may all be near eigenvectors of other eigenvalues; but where nothing is left of
    // the next one there is none.
    constexpr std::size_t kFew = 8;
    constexpr double kEnough = 0.01, kRoundings = 1e-10;
    const bool is_whole = diagonal.size() == n;
    const bool is_early = diagonal.size() < kFew && length > kRoundings * largest;
    if (is_whole || !is_early) {
      const LeastPair least = LeastOfTridiagonal(diagonal, beside);
      if (is_whole) return least.value;
      const double error = length * least.last;
      if (!(error > kEnough * std::max(1.0, std::abs(least.value)))) return least.value - error;
    }
    beside.push_back(length);
  }
}

}  // namespace sdpa
