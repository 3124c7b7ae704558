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
  std::vector<std::vector<Real>> basis;  // all of them, so that they stay orthogonal
  std::vector<double> diagonal, beside;
  std::vector<Real> vector(n), product(n);
  // Components of many sizes, the same each time.
  std::uint64_t random = 0x9e3779b97f4a7c15;
  for (Real& component : vector) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    component = Real(static_cast<double>(random >> 11) * 0x1p-53 - 0.5);
  }
  double length = NormOf(vector);
  while (true) {
    for (Real& component : vector) component = component / Real(length);
    basis.push_back(vector);
    SolveVector(l, Op::kTransposed, std::span<Real>(vector));
    SymmetricTimes(d, std::span<const Real>(vector), std::span<Real>(product));
    SolveVector(l, Op::kPlain, std::span<Real>(product));
    std::swap(vector, product);
    diagonal.push_back(static_cast<double>(
        Dot(std::span<const Real>(vector), std::span<const Real>(basis.back()))));
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<Real>& other : basis) {
        const Real along = Dot(std::span<const Real>(vector), std::span<const Real>(other));
        AddTo(std::span<Real>(vector), -along, std::span<const Real>(other));
      }
    }
    length = NormOf(vector);
    const LeastPair least = LeastOfTridiagonal(diagonal, beside);
    const double error = length * least.last, scale = std::max(1.0, std::abs(least.value));
    constexpr double kEnough = 0.01, kRoundings = 1e-10;
    // A few vectors may all be near eigenvectors of other eigenvalues; but where nothing is left of
    // the next one there is none.
    constexpr std::size_t kFew = 8;
    const bool is_whole = basis.size() == n;
    const bool goes_on =
        basis.size() < kFew ? length > kRoundings * scale : error > kEnough * scale;
    if (is_whole || !goes_on) return is_whole ? least.value : least.value - error;
    beside.push_back(length);
  }
}

}  // namespace sdpa
