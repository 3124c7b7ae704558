// The elements of the Schur complement's matrix B_ij = tr(F_i Y F_j X^-1), a column at a time: what
// the paper calls ELEMENTS. Of a column only what is not above the diagonal, i >= j.
//
// Threads: const members from any, with a scratch for each thread.
//
// Source: [ULIBC14] section 4.3, figure 14.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/sdpa/elements/pairs.h"
#include "apps/sdpa/elements/picks.h"
#include "apps/sdpa/elements/terms.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value: what a thread computes a column in.
template <typename Real>
struct ColumnScratch {
  std::vector<Real> pairs, row, first, second, u;
};

// A value.
class Columns {
 public:
  // A view of `problem`, whose constraints are the fullest first. `rounding`: kNone for numbers
  // with more digits than a double.
  explicit Columns(const Problem& problem, std::shared_ptr<const Layout> layout,
                   Rounding rounding = Rounding::kLastBits);

  std::size_t size() const { return parts_of_.size(); }  // m

  // F_j is, and B_ij is 0 for all i.
  bool IsEmpty(std::size_t j) const { return parts_of_[j].empty(); }

  // Adds B_ij to sums[i - begin] for all i with max(j, begin) <= i < end. y, inverse: Y and X^-1,
  // all elements in the layout's order.
  template <typename Real>
  void Add(std::size_t j, std::size_t begin, std::size_t end, std::span<const Real> y,
           std::span<const Real> inverse, ColumnScratch<Real>& scratch, Real* sums) const;

  // About how long column j takes, in products.
  double WorkOf(std::size_t j) const { return work_[j]; }
  // Of that, what comes before the first element, and so again in each call of Add.
  double PreparationOf(std::size_t j) const { return preparation_[j]; }

  // The largest number of constraints that share a dense block, or an element of a diagonal block.
  // For any two of these constraints B has an element that is not always 0.
  std::size_t most_sharing() const;

  // The most numbers that a ColumnScratch comes to.
  std::size_t scratch_elements() const { return pairs_ + row_ + 2 * side_ + square_; }

  // Calls each(i), for some i more than once, for all i > j where F_i and F_j share a block:
  // elsewhere B_ij is 0.
  template <typename Each>
  void ForEachRow(std::size_t j, const Each& each) const;

 private:
  struct DiagonalEntry {
    int constraint = 0;
    double value = 0;
  };
  // What all F_i have in a block.
  struct OfBlock {
    std::vector<Part> parts;  // by constraint
    std::vector<Entry> entries;
    std::vector<bool> is_by_product;  // by part: U itself is computed, by the BLAS (F1)
    Picks picks;                      // out of it, by part; of none where all are by pairs
    std::vector<std::vector<DiagonalEntry>> by_row;  // of a diagonal block; by constraint
  };
  struct PartId {
    std::size_t block = 0, part = 0;
  };

  void Reserve(const Problem& problem);
  void AddBlock(const Problem& problem, std::size_t constraint, const BlockElements& elements,
                Rounding rounding);
  void ChooseMethods(std::size_t block);
  void CountScratch(const OfBlock& block, std::size_t n);
  template <typename Real>
  void AddDiagonal(std::size_t begin, std::size_t end, const OfBlock& of_block, const Part& part,
                   std::span<const Real> y, std::span<const Real> inverse, Sums<Real> sums) const;
  template <typename Real>
  void AddDense(const OfBlock& of_block, std::size_t number, std::span<const Part> with,
                std::size_t n, const Real* y, const Real* inverse, ColumnScratch<Real>& scratch,
                Sums<Real> sums) const;

  std::shared_ptr<const Layout> layout_;
  std::vector<std::unique_ptr<std::vector<Term>>> terms_;
  std::vector<OfBlock> blocks_;
  std::vector<std::vector<PartId>> parts_of_;  // by constraint
  std::vector<double> work_, preparation_;     // by constraint
  // The most numbers in a scratch's vectors: `first` and `second` are a side each.
  std::size_t pairs_ = 0, row_ = 0, side_ = 0, square_ = 0;
};

template <typename Real>
void Columns::Add(std::size_t j, std::size_t begin, std::size_t end, std::span<const Real> y,
                  std::span<const Real> inverse, ColumnScratch<Real>& scratch, Real* to) const {
  const Sums<Real> sums{to, static_cast<int>(begin)};
  begin = std::max(begin, j);
  for (const auto [number, own] : parts_of_[j]) {
    const OfBlock& block = blocks_[number];
    const std::size_t at = layout_->begin[number], size = layout_->begin[number + 1] - at;
    const auto y_of = y.subspan(at, size), inverse_of = inverse.subspan(at, size);
    if (layout_->blocks[number].shape == Shape::kDiagonal) {
      AddDiagonal(begin, end, block, block.parts[own], y_of, inverse_of, sums);
      continue;
    }
    const auto before = [](const Part& part, std::size_t constraint) {
      return static_cast<std::size_t>(part.constraint) < constraint;
    };
    // Not before its own part, as begin is not before j.
    const auto first = std::lower_bound(block.parts.begin() + static_cast<std::ptrdiff_t>(own),
                                        block.parts.end(), begin, before);
    const auto last = std::lower_bound(first, block.parts.end(), end, before);
    if (first == last) continue;
    AddDense(block, own, std::span<const Part>(first, last),
             static_cast<std::size_t>(layout_->blocks[number].size), y_of.data(), inverse_of.data(),
             scratch, sums);
  }
}

template <typename Real>
void Columns::AddDiagonal(std::size_t begin, std::size_t end, const OfBlock& of_block,
                          const Part& part, std::span<const Real> y, std::span<const Real> inverse,
                          Sums<Real> sums) const {
  for (std::size_t e = part.begin; e < part.end; ++e) {
    const auto row = static_cast<std::size_t>(of_block.entries[e].row);
    const Real factor = of_block.entries[e].value * (y[row] * inverse[row]);
    const std::vector<DiagonalEntry>& entries = of_block.by_row[row];
    auto entry = std::lower_bound(entries.begin(), entries.end(), begin,
                                  [](const DiagonalEntry& a, std::size_t constraint) {
                                    return static_cast<std::size_t>(a.constraint) < constraint;
                                  });
    for (; entry != entries.end() && static_cast<std::size_t>(entry->constraint) < end; ++entry) {
      sums[entry->constraint] += entry->value * factor;
    }
  }
}

template <typename Real>
void Columns::AddDense(const OfBlock& of_block, std::size_t number, std::span<const Part> with,
                       std::size_t n, const Real* y, const Real* inverse,
                       ColumnScratch<Real>& scratch, Sums<Real> sums) const {
  const std::span<const Term> terms = of_block.parts[number].terms;
  const std::span<const Entry> entries = of_block.entries;
  const auto reserve = [](std::vector<Real>& numbers, std::size_t count) {
    if (numbers.size() < count) numbers.resize(count);
    return numbers.data();
  };
  Real* const row = reserve(scratch.row, n);
  if (!of_block.is_by_product[number]) {
    const std::size_t width = WidthOf(terms.size());
    Real* const pairs = reserve(scratch.pairs, n * width);
    SetPairs(terms, n, y, inverse, row, pairs);
    AddParts(with, entries, static_cast<const Real*>(pairs), width, sums);
    for (const Part& part : with) {
      if (!part.is_by_terms) continue;
      AddByTerms(part, static_cast<const Real*>(pairs), width, reserve(scratch.first, 2 * width),
                 sums);
    }
    return;
  }
  // U = first' second, and then S.
  const std::size_t count = terms.size();
  Real* const first = reserve(scratch.first, count * n);
  Real* const second = reserve(scratch.second, count * n);
  Real* const u = reserve(scratch.u, n * n);
  const auto set = [&](const SparseVector& vector, const Real* matrix, Real* to) {
    std::fill_n(to, n, Real(0));
    for (std::size_t k = 0; k < vector.rows.size(); ++k) {
      const Real* const from = matrix + static_cast<std::size_t>(vector.rows[k]) * n;
      for (std::size_t a = 0; a < n; ++a) to[a] += vector.values[k] * from[a];
    }
  };
  for (std::size_t t = 0; t < count; ++t) {
    set(terms[t].left, y, first + t * n);
    set(terms[t].right, inverse, second + t * n);
  }
  const int rows = static_cast<int>(n), depth = static_cast<int>(count);
  const auto stride = static_cast<std::ptrdiff_t>(n);
  Multiply(1, Matrix<const Real>{first, depth, rows, stride}, Op::kTransposed,
           Matrix<const Real>{second, depth, rows, stride}, Op::kPlain, 0,
           Matrix<Real>{u, rows, rows, stride});
  AddTransposed(Matrix<Real>{u, rows, rows, stride});
  AddPicks(with, of_block.picks, static_cast<std::size_t>(with.data() - of_block.parts.data()),
           static_cast<const Real*>(u), sums);
}

template <typename Each>
void Columns::ForEachRow(std::size_t j, const Each& each) const {
  for (const auto [number, own] : parts_of_[j]) {
    const OfBlock& block = blocks_[number];
    if (layout_->blocks[number].shape == Shape::kDense) {
      for (std::size_t i = own + 1; i < block.parts.size(); ++i) {
        each(static_cast<std::size_t>(block.parts[i].constraint));
      }
      continue;
    }
    for (std::size_t e = block.parts[own].begin; e < block.parts[own].end; ++e) {
      // From the last on: those before j are not looked at.
      const auto& entries = block.by_row[static_cast<std::size_t>(block.entries[e].row)];
      for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        const auto i = static_cast<std::size_t>(entry->constraint);
        if (i <= j) break;
        each(i);
      }
    }
  }
}

}  // namespace sdpa
