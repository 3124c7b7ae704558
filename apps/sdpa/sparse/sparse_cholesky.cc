#include "apps/sdpa/sparse/sparse_cholesky.h"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "apps/sdpa/sparse/at.h"
#include "apps/sdpa/sparse/busy_time.h"
#include "apps/sdpa/sparse/elimination_tree.h"
#include "apps/sdpa/sparse/ordering.h"
#include "lwt/contract.h"
#include "lwt/parallel.h"

namespace sdpa {
// One numeric factorization.
class Factorization {
 public:
  Factorization(const SparseCholesky& cholesky, std::span<const double> values,
                std::atomic<std::int64_t>& busy_ns)
      : of_(cholesky),
        values_(values),
        busy_ns_(busy_ns),
        updates_(At(of_.supernodes_.size())),
        failed_(updates_.size(), kNone),
        unfinished_(updates_.size()) {
    for (std::size_t s = 0; s < unfinished_.size(); ++s) {
      unfinished_[s].store(of_.plan_.waits_for[s], std::memory_order_relaxed);
    }
  }

  // Returns the first column of L that has failed, or kNone.
  int Run() {
    const auto pieces = static_cast<std::int64_t>(of_.plan_.subtrees.size());
    lwt::ParallelFor(0, pieces, 1, [this](std::int64_t begin, std::int64_t end) {
      BusyTime busy(busy_ns_);
      for (std::int64_t piece = begin; piece < end; ++piece) {
        ComputeFrom(of_.plan_.subtrees[static_cast<std::size_t>(piece)], busy);
      }
    });
    int first = kNone;
    for (std::size_t s = 0; s < failed_.size(); ++s) {
      if (of_.supernodes_.parents[s] == kNone) first = FirstOf(first, failed_[s]);
    }
    return first;
  }

 private:
  static int FirstOf(int a, int b) { return a == kNone || (b != kNone && b < a) ? b : a; }

  // Subtrees, and above them each supernode whose last child this was: a loop, as the tree may be a
  // chain.
  void ComputeFrom(const Subtrees& subtrees, BusyTime& busy) {
    for (int s = subtrees.begin; s < subtrees.end; ++s) Compute(s, busy);
    for (int s = subtrees.parent; s != kNone; s = of_.supernodes_.parents[At(s)]) {
      if (unfinished_[At(s)].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      Compute(s, busy);
    }
  }

  void Compute(int s, BusyTime& busy) {
    const std::span<const int> children = of_.supernodes_.children_of(s);
    for (const int child : children) failed_[At(s)] = FirstOf(failed_[At(s)], failed_[At(child)]);
    if (failed_[At(s)] != kNone) {
      for (const int child : children) updates_[At(child)].reset();
      return;
    }
    Front front = of_.PanelOf(s);
    const std::size_t below = At(front.rows_below());
    if (below > 0) {
      updates_[At(s)] = of_.memory_->Take(below * below);
      front.update = updates_[At(s)].get();
    }
    SetElements(s, front, busy);
    // In their order, for the same sums in every run.
    for (const int child : children) {
      AddUpdate(updates_[At(child)].get(), of_.supernodes_.places_below(child), front, busy);
      updates_[At(child)].reset();
    }
    const int column = Eliminate(front, busy);
    if (column != kNone) failed_[At(s)] = of_.supernodes_.first_column(s) + column;
  }

  // The matrix's elements, and zeros.
  void SetElements(int s, const Front& front, BusyTime& busy) const {
    Clear(front, busy);
    const int first = of_.supernodes_.first_column(s);
    for (int j = 0; j < front.columns; ++j) {
      double* const column = front.column(j);
      for (std::size_t k = of_.elements_begin_[At(first + j)];
           k < of_.elements_begin_[At(first + j) + 1]; ++k) {
        column[of_.front_rows_[k]] = values_[of_.sources_[k]];
      }
    }
  }

  const SparseCholesky& of_;
  std::span<const double> values_;
  std::atomic<std::int64_t>& busy_ns_;
  // By supernode.
  std::vector<UpdateMemory::Piece> updates_;  // until their parents have them
  std::vector<int> failed_;                   // a column of its subtree
  std::vector<std::atomic<int>> unfinished_;  // what the plan's waits_for has still to wait for
};

SparseCholesky SparseCholesky::Analyze(const SparsePattern& pattern, double least_piece) {
  SparseCholesky cholesky;
  const std::vector<int> degrees = MinimumDegreeOrder(pattern);
  const std::vector<int> postorder = Postorder(EliminationTree(Reorder(pattern, degrees).pattern));
  for (const int column : postorder) cholesky.order_.push_back(degrees[At(column)]);

  ReorderedPattern reordered = Reorder(pattern, cholesky.order_);
  const std::vector<int> parents = EliminationTree(reordered.pattern);
  const Supernodes& supernodes = cholesky.supernodes_ =
      FindSupernodes(reordered.pattern, parents, ColumnCounts(reordered.pattern, parents));
  cholesky.plan_ = PlanAssembly(supernodes, least_piece);
  cholesky.work_ = WorkOf(supernodes);
  cholesky.front_rows_ = FrontRows(reordered.pattern, supernodes);
  cholesky.elements_begin_ = std::move(reordered.pattern.column_begin);
  cholesky.sources_ = std::move(reordered.sources);
  std::size_t panels = 0;
  for (int s = 0; s < supernodes.size(); ++s) {
    cholesky.panel_begin_.push_back(panels);
    panels += At(supernodes.columns(s)) * At(supernodes.front_rows(s));
  }
  return cholesky;
}

std::uint64_t SparseCholesky::UpdatesOf(int workers) const {
  const std::uint64_t needed =
      workers == 1 ? work_.update_elements : UpdatesInAnyOrder(supernodes_, plan_);
  return needed + needed / 2;  // Pieces of UpdateMemory are up to half as large again.
}

Front SparseCholesky::PanelOf(int supernode) const {
  return {.rows = supernodes_.front_rows(supernode),
          .columns = supernodes_.columns(supernode),
          .panel = panels_.get() + panel_begin_[At(supernode)],
          .update = nullptr};
}

std::span<const double> SparseCholesky::panel(int supernode) const {
  const Front front = PanelOf(supernode);
  return {front.panel, At(front.rows) * At(front.columns)};
}

std::optional<int> SparseCholesky::Factor(std::span<const double> values) {
  lwt::CheckContract(values.size() == sources_.size(), "a value for each element of the pattern");
  openblas_set_num_threads(1);
  if (panels_ == nullptr) {
    panels_ = std::make_unique_for_overwrite<double[]>(work_.factor_elements);
  }
  std::atomic<std::int64_t> busy_ns{0};
  const int failed = Factorization(*this, values, busy_ns).Run();
  busy_ns_ += busy_ns.load(std::memory_order_relaxed);
  if (failed == kNone) return std::nullopt;
  return order_[At(failed)];
}

void SparseCholesky::Solve(std::span<double> x) const {
  lwt::CheckContract(x.size() == order_.size(),
                     "a right-hand side has as many elements as the matrix rows");
  std::vector<double> y(x.size()), below(x.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[At(order_[i])];
  for (int s = 0; s < supernodes_.size(); ++s) {
    const Front front = PanelOf(s);
    double* const own = y.data() + supernodes_.first_column(s);
    const std::span<const int> rows = supernodes_.rows_below(s);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, front.columns, front.panel,
                front.rows, own, 1);
    if (rows.empty()) continue;
    cblas_dgemv(CblasColMajor, CblasNoTrans, front.rows_below(), front.columns, 1,
                front.panel + front.columns, front.rows, own, 1, 0, below.data(), 1);
    for (std::size_t i = 0; i < rows.size(); ++i) y[At(rows[i])] -= below[i];
  }
  for (int s = supernodes_.size() - 1; s >= 0; --s) {
    const Front front = PanelOf(s);
    double* const own = y.data() + supernodes_.first_column(s);
    const std::span<const int> rows = supernodes_.rows_below(s);
    if (!rows.empty()) {
      for (std::size_t i = 0; i < rows.size(); ++i) below[i] = y[At(rows[i])];
      cblas_dgemv(CblasColMajor, CblasTrans, front.rows_below(), front.columns, -1,
                  front.panel + front.columns, front.rows, below.data(), 1, 1, own, 1);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, front.columns, front.panel,
                front.rows, own, 1);
  }
  for (std::size_t i = 0; i < y.size(); ++i) x[At(order_[i])] = y[i];
}

}  // namespace sdpa
