// The Schur complement's matrix B_ij = tr(F_i Y F_j X^-1) of an interior-point method's iterations,
// factored to solve with it.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "apps/sdpa/linear/block_matrix.h"

namespace sdpa {

// A value: of all iterations so far, summed over tasks that ran at the same time.
struct SchurSeconds {
  double elements = 0, cholesky = 0;
};

// Threads: one at a time, a lightweight thread; the work is done by all of its pool.
template <typename Real>
class SchurComplement {
 public:
  virtual ~SchurComplement() = default;

  // B of this Y and X^-1, and its Cholesky factor. Each diagonal element is made larger by
  // `relative_shift` of itself. FailedPrecondition: B is not positive definite, as far as can be
  // seen. Other errors: the runtime's.
  virtual absl::Status Factor(const BlockMatrix<Real>& y, const BlockMatrix<Real>& inverse,
                              double relative_shift) = 0;
  // x = B^-1 x.
  virtual void Solve(std::span<Real> x) const = 0;

  virtual SchurSeconds seconds() const = 0;
};

}  // namespace sdpa
