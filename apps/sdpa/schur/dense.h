// The matrix as tiles of its upper triangle, by taskrt: the elements of some tiles of a row are a
// task of the host, and the Cholesky factorization's tasks, on devices where there are any, begin
// on tiles that are there. No barrier is between the two.
//
// Source: [ULIBC14] section 4.3; [WLBS20] section 4.1 (the factorization).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/schur/schur.h"
#include "lwt/worker_local.h"
#include "taskrt/kernel.h"
#include "taskrt/runtime.h"

namespace sdpa {

// A value: the matrix is `count` x `count` tiles of `side` x `side` elements; beyond m it is the
// identity.
struct Tiling {
  static Tiling Of(std::size_t m);

  int side = 0, count = 0;

  std::size_t tiles() const {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(count + 1) / 2;
  }
  std::size_t elements_of_tile() const {
    return static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  }
};

// A resource. The runtime and the columns outlive it.
template <typename Real>
class DenseSchur final : public SchurComplement<Real> {
 public:
  // `cuda_devices`: how many of these the runtime has.
  DenseSchur(taskrt::Runtime& runtime, const Columns& columns, int cuda_devices = 0);
  ~DenseSchur() override;
  DenseSchur(const DenseSchur&) = delete;
  DenseSchur& operator=(const DenseSchur&) = delete;

  absl::Status Compute(std::span<const Real> y, std::span<const Real> inverse) override;
  absl::Status Factor(std::span<const Real> y, std::span<const Real> inverse,
                      double relative_shift) override;
  void Solve(std::span<Real> x) const override;
  Real at(std::size_t i, std::size_t j) const override;
  double least_pivot() const override { return least_pivot_; }
  bool is_sparse() const override { return false; }
  SchurSeconds seconds() const override;

  const Tiling& tiling() const { return tiling_; }

 private:
  // A value: of an ELEMENTS task.
  struct Group {
    int row = 0, begin = 0, end = 0;  // tiles
  };

  Matrix<Real> tile(int row, int column) const;
  void SubmitElements();
  void SubmitCholesky();
  // Is it too much to prepare the columns of this row of tiles more than once?
  bool IsOneGroup(int row) const;
  // Rows `first` to `last` - 1 of the group's tiles.
  void ComputeRows(const Group& group, std::int64_t first, std::int64_t last);
  absl::Status CheckDiagonal();

  taskrt::Runtime& runtime_;
  const Columns& columns_;
  const Tiling tiling_;
  std::vector<double> diagonal_;  // B's, with the shift, before it is factored
  double least_pivot_ = 1;
  const std::unique_ptr<Real[]> memory_;
  std::vector<taskrt::Handle> handles_;  // by tile
  // Of the running Compute or Factor.
  std::span<const Real> y_, inverse_;
  double relative_shift_ = 0;

  // A value: what a worker computes in.
  struct Scratch {
    ColumnScratch<Real> column;
    std::vector<Real> sums;
  };
  lwt::WorkerLocal<Scratch> scratch_;
  std::atomic<std::int64_t> elements_ns_{0}, cholesky_ns_{0};
  const taskrt::Kernel elements_, computed_;
  std::vector<taskrt::Kernel> kernels_;  // of the factorization, by kind
};

extern template class DenseSchur<double>;
extern template class DenseSchur<DoubleDouble>;

}  // namespace sdpa
