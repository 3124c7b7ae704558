// Where any of a problem's matrices has an element: X and its directions have none elsewhere, so
// that products with them are short where that is little.
//
// Source: K. Fujisawa, M. Kojima and K. Nakata, Exploiting sparsity in primal-dual interior-point
// methods for semidefinite programming, Math. Programming 79, 1997.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value: by block, of both triangles and the diagonal.
class Aggregate {
 public:
  Aggregate(const Problem& problem, const Layout& layout);

  // Is a block's product shorter than one of all elements?
  bool is_short(std::size_t block) const { return !blocks_[block].begin.empty(); }

  // product = a b, of a matrix `a` with elements in these places only; of one block, and of all.
  template <typename Real>
  void MultiplyBlock(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b,
                     BlockMatrix<Real>& product, std::size_t l) const;
  template <typename Real>
  void Multiply(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b,
                BlockMatrix<Real>& product) const;

  // Sets a's other elements to 0, where Multiply would not read them.
  template <typename Real>
  void DropOthers(BlockMatrix<Real>& a) const;

 private:
  // The columns of row i are columns[begin[i]] to columns[begin[i + 1] - 1]; none: too many to gain
  // by it.
  struct OfBlock {
    std::vector<std::size_t> begin;
    std::vector<int> columns;
  };

  std::vector<OfBlock> blocks_;
};

template <typename Real>
void Aggregate::MultiplyBlock(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b,
                              BlockMatrix<Real>& product, std::size_t l) const {
  const OfBlock& of = blocks_[l];
  if (of.begin.empty()) return sdpa::MultiplyBlock(a, b, product, l);
  const Matrix<const Real> left = a.dense(l), right = b.dense(l);
  const Matrix<Real> to = product.dense(l);
  const auto n = static_cast<std::size_t>(left.rows);
  ForEachStripe(left.rows, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const std::span<Real> row(to.row(i), n);
      std::fill(row.begin(), row.end(), Real(0));
      const auto at = static_cast<std::size_t>(i);
      for (std::size_t k = of.begin[at]; k < of.begin[at + 1]; ++k) {
        const int column = of.columns[k];
        AddTo(row, left.at(i, column), std::span<const Real>(right.row(column), n));
      }
    }
  });
}

template <typename Real>
void Aggregate::Multiply(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b,
                         BlockMatrix<Real>& product) const {
  ForEachBlock(a.layout(), [&](std::size_t l) { MultiplyBlock(a, b, product, l); });
}

template <typename Real>
void Aggregate::DropOthers(BlockMatrix<Real>& a) const {
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    const OfBlock& of = blocks_[l];
    if (of.begin.empty()) continue;
    const Matrix<Real> block = a.dense(l);
    for (int i = 0; i < block.rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      int next = 0;  // the first column that is not dropped yet
      for (std::size_t k = of.begin[at]; k < of.begin[at + 1]; ++k) {
        std::fill(block.row(i) + next, block.row(i) + of.columns[k], Real(0));
        next = of.columns[k] + 1;
      }
      std::fill(block.row(i) + next, block.row(i) + block.columns, Real(0));
    }
  }
}

}  // namespace sdpa
