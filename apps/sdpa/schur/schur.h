// The Schur complement's matrix B_ij = tr(F_i Y F_j X^-1) of an interior-point method's iterations,
// factored to solve with it.
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/status.h"

namespace sdpa {

// What stands for B_ii where F_i is empty and B_ii would be 0: so little that F_i.Y = c_i, where it
// does not hold, shows in one step of x_i.
inline constexpr double kOfEmpty = 1e-12;

// A value: of all iterations so far, summed over tasks that ran at the same time.
struct SchurSeconds {
  double elements = 0, cholesky = 0;
};

// Threads: one at a time, a lightweight thread; the work is done by all of its pool.
template <typename Real>
class SchurComplement {
 public:
  virtual ~SchurComplement() = default;

  // B of this Y and X^-1, of which all elements are given in the order of a Layout.
  virtual absl::Status Compute(std::span<const Real> y, std::span<const Real> inverse) = 0;
  // B and its Cholesky factor. Each diagonal element is made larger by `relative_shift` of itself.
  // FailedPrecondition: B is not positive definite, as far as can be seen. Other errors: the
  // runtime's.
  virtual absl::Status Factor(std::span<const Real> y, std::span<const Real> inverse,
                              double relative_shift) = 0;
  // x = B^-1 x.
  virtual void Solve(std::span<Real> x) const = 0;

  // After Compute, of one of the elements that are stored, or of the factor after Factor: j <= i.
  virtual Real at(std::size_t i, std::size_t j) const = 0;

  // After Factor: the least pivot over its element of the diagonal. A rounding or less: a
  // constraint follows from others, or nearly.
  virtual double least_pivot() const = 0;

  virtual bool is_sparse() const = 0;
  virtual SchurSeconds seconds() const = 0;
};

}  // namespace sdpa
