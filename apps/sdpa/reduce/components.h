// Rows of a dense block that no element of any matrix joins, directly or by other rows: X is 0
// between them, and Y may be. So such a block is several, whose products are less work, and single
// rows are a diagonal block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// A value.
class Components {
 public:
  // None where no block is several.
  static std::optional<Components> Of(const Problem& problem);

  // The problem with each component a block.
  const Problem& split() const { return split_; }

  // A matrix of the problem that was given, from one of the split problem.
  template <typename Real>
  BlockMatrix<Real> Whole(const BlockMatrix<Real>& of_split,
                          const std::shared_ptr<const Layout>& layout) const {
    BlockMatrix<Real> whole(layout);
    ForEachPair([&](std::size_t block, std::size_t at, std::size_t of, std::size_t from) {
      whole.elements(block)[at] = of_split.elements(of)[from];
    });
    return whole;
  }
  // A point of the one from a point of the other.
  SolutionValues Whole(const SolutionValues& of_split) const;
  SolutionValues Split(const SolutionValues& whole) const;

 private:
  // A value: where a row has come to.
  struct Place {
    int block = 0, row = 0;
  };

  void AddBlock(std::vector<int> roots);
  SparseMatrix SplitOf(const SparseMatrix& matrix) const;

  // Calls each(block, element, block of the split problem, element there) for all elements there.
  template <typename Each>
  void ForEachPair(const Each& each) const {
    for (std::size_t b = 0; b < rows_.size(); ++b) {
      const auto& [of, rows] = rows_[b];
      const auto k = rows.size();
      const bool is_dense = split_.blocks[b].shape == Shape::kDense;
      const auto block = static_cast<std::size_t>(of);
      const auto n = is_whole_dense_[block] ? places_[block].size() : 0;  // 0: it is a diagonal
      for (std::size_t i = 0; i < k; ++i) {
        const auto row = static_cast<std::size_t>(rows[i]);
        if (!is_dense) {
          each(block, row * (n + 1), b, i);
          continue;
        }
        for (std::size_t j = 0; j < k; ++j) {
          each(block, row * n + static_cast<std::size_t>(rows[j]), b, i * k + j);
        }
      }
    }
  }

  Problem split_;
  std::vector<std::vector<Place>> places_;  // by block and row
  std::vector<bool> is_whole_dense_;        // by block
  // Of each block of the split problem the block that it comes from, and its rows there.
  std::vector<std::pair<int, std::vector<int>>> rows_;
};

}  // namespace sdpa
