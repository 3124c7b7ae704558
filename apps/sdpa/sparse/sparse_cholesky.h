// Cholesky's factorization of sparse symmetric positive definite matrices, L L', by the
// multifrontal method: for the Schur complement's matrix of problems with very many small blocks.
//
//   SparseCholesky cholesky = SparseCholesky::Analyze(pattern);   // once a problem
//   pool->Run([&] { failed = cholesky.Factor(values); });         // once an iteration
//   cholesky.Solve(x);
//
// Source: J. W. H. Liu, The multifrontal method for sparse matrix solution, SIAM Review 34, 1992;
// [ULIBC14] section 4.3 (CHOLESKY).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/sdpa/sparse/assembly_plan.h"
#include "apps/sdpa/sparse/front.h"
#include "apps/sdpa/sparse/sparse_pattern.h"
#include "apps/sdpa/sparse/supernodes.h"
#include "apps/sdpa/sparse/update_memory.h"

namespace sdpa {

// A value, which can be moved. Threads: one that changes it; Solve from several at a time. Errors:
// std::bad_alloc where there is no memory.
class SparseCholesky {
 public:
  // Orders the columns, and finds where L has elements. By one thread.
  static SparseCholesky Analyze(const SparsePattern& pattern, double least_piece = kLeastPiece);

  int size() const { return static_cast<int>(order_.size()); }  // m
  // What Factor will store and compute: known before, so that a dense factorization may be chosen.
  const Work& work() const { return work_; }
  // Elements of updates that Factor may hold at once.
  std::uint64_t UpdatesOf(int workers) const;
  std::span<const int> order() const { return order_; }  // by column of L, the matrix's
  const Supernodes& supernodes() const { return supernodes_; }

  // From a lightweight thread; in parallel on its pool, and the same in every bit for each number
  // of workers. The BLAS has one thread from here on, and the memory of L and of updates is kept.
  // `values`: in the pattern's order. Returns the first column, in the order of elimination, whose
  // pivot is not positive, or no number: the matrix is not positive definite, as far as can be
  // seen.
  [[nodiscard]] std::optional<int> Factor(std::span<const double> values);

  // That all calls of Factor took, summed over workers that computed at the same time.
  double seconds() const { return static_cast<double>(busy_ns_) * 1e-9; }

  // x becomes the solution of the equations whose right-hand side it is. Precondition: Factor has
  // found no such column.
  void Solve(std::span<double> x) const;

  // A supernode's columns of L, after Factor: front_rows elements each, of which those above the
  // diagonal do not count.
  std::span<const double> panel(int supernode) const;

 private:
  friend class Factorization;

  SparseCholesky() = default;
  Front PanelOf(int supernode) const;  // without its update

  std::vector<int> order_;
  Supernodes supernodes_;
  AssemblyPlan plan_;
  Work work_;
  // The matrix's elements by columns of L.
  std::vector<std::size_t> elements_begin_;
  std::vector<std::size_t> sources_;      // which of the values
  std::vector<int> front_rows_;           // where in the front of the column's supernode
  std::vector<std::size_t> panel_begin_;  // by supernode, in panels_
  std::unique_ptr<UpdateMemory> memory_ = std::make_unique<UpdateMemory>();
  std::unique_ptr<double[]> panels_;  // L, since the first Factor
  std::int64_t busy_ns_ = 0;
};

}  // namespace sdpa
