// The matrix where few pairs of constraints share a block: its elements that are not always 0,
// columns side by side on lightweight threads, and a sparse Cholesky factorization.
//
// Source: [ULIBC14] section 4.3, figure 14; M. Yamashita, K. Fujisawa and M. Kojima, and others,
// SDPA 7's sparse Schur complement, 2010.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/schur/schur.h"
#include "apps/sdpa/sparse/sparse_cholesky.h"
#include "apps/sdpa/sparse/sparse_pattern.h"
#include "lwt/pool.h"
#include "lwt/worker_local.h"

namespace sdpa {

// Where the matrix has elements. None: in more than `most` places, of which no more are looked for.
std::optional<SparsePattern> SparsePatternOf(
    const Columns& columns, std::size_t most = std::numeric_limits<std::size_t>::max());

// In more places than these nothing is gained by leaving out the others.
std::size_t MostOfSparse(std::size_t m);

// A resource. The pool and the columns outlive it.
class SparseSchur final : public SchurComplement<double> {
 public:
  SparseSchur(lwt::Pool& pool, const Columns& columns, SparsePattern pattern,
              SparseCholesky cholesky);

  absl::Status Compute(std::span<const double> y, std::span<const double> inverse) override;
  absl::Status Factor(std::span<const double> y, std::span<const double> inverse,
                      double relative_shift) override;
  void Solve(std::span<double> x) const override { cholesky_.Solve(x); }
  // B_ij also after Factor; 0 where the pattern has none.
  double at(std::size_t i, std::size_t j) const override;
  double least_pivot() const override;
  bool is_sparse() const override { return true; }
  SchurSeconds seconds() const override;

 private:
  // A value: what a worker computes in. `sums` has a number for each constraint, all 0 between two
  // columns.
  struct Scratch {
    ColumnScratch<double> column;
    std::vector<double> sums;
    std::int64_t elements_ns = 0;
  };

  void ComputeAll(std::span<const double> y, std::span<const double> inverse,
                  double relative_shift);
  void ComputeColumns(std::size_t begin, std::size_t end, std::span<const double> y,
                      std::span<const double> inverse, double relative_shift);

  const Columns& columns_;
  const SparsePattern pattern_;
  SparseCholesky cholesky_;
  std::vector<std::size_t> chunks_;  // of columns, of about the same work; one more: their end
  std::vector<double> values_;
  mutable lwt::WorkerLocal<Scratch> scratch_;
};

}  // namespace sdpa
