// tr(F_i U) out of a whole matrix S = U + U', where U = Y F_j X^-1 was computed as one product:
// what is F1's second half. Elements of F_i that lie side by side in a row are a run, so that they
// are read as vectors. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/sdpa/elements/pairs.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value: elements side by side in a row of S.
struct PickRun {
  std::size_t value = 0;   // of the first, in values
  std::size_t offset = 0;  // in S
  std::size_t length = 0;
};

// A value: the runs of all F_i in a block, one F_i after the other.
class Picks {
 public:
  // For so many elements of all matrices.
  void Reserve(std::size_t elements) { values_.reserve(elements); }

  // Of a block of n rows. An element is read in the row or in the column of its number, whichever
  // has more of the matrix's elements: these lie side by side more often.
  void AddMatrix(std::span<const Element> matrix, std::size_t n);

  std::span<const PickRun> runs_of(std::size_t matrix) const {
    return std::span(runs_).subspan(begin_[matrix], begin_[matrix + 1] - begin_[matrix]);
  }
  const double* values() const { return values_.data(); }

  // About how many picks of single elements a matrix takes as long as.
  double WorkOf(std::size_t matrix) const;

 private:
  std::vector<double> values_;  // halved on the diagonal
  std::vector<PickRun> runs_;
  std::vector<std::size_t> begin_ = {0};  // by matrix
};

// Adds tr(F_i U) to sums[i] for all parts, of which the first is the block's matrix `first`.
template <typename Real>
void AddPicks(std::span<const Part> parts, const Picks& picks, std::size_t first, const Real* s,
              Sums<Real> sums) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    Real sum(0);
    for (const PickRun& run : picks.runs_of(first + p)) {
      for (std::size_t k = 0; k < run.length; ++k) {
        sum += picks.values()[run.value + k] * s[run.offset + k];
      }
    }
    sums[parts[p].constraint] += sum;
  }
}
// With what the processor has for several at once.
void AddPicks(std::span<const Part> parts, const Picks& picks, std::size_t first, const double* s,
              Sums<double> sums);

}  // namespace sdpa
