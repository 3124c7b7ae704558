// The residual R = F_1 x_1 + ... - F_0 - X of one iteration and its products, which are short where
// few of its elements are more than roundings, beside a multiple of a matrix of rank 1. The method
// keeps R a multiple of the first one, -F_0 - X, however full the constraints' matrices are.
//
// Threads: from lightweight threads. Each result is the same to the last bit for any number of
// workers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "apps/sdpa/elements/terms.h"
#include "apps/sdpa/interior_point/short_products.h"
#include "apps/sdpa/linear/aggregate.h"
#include "apps/sdpa/linear/block_matrix.h"

namespace sdpa {

// A value. The matrices that it is made from outlive it.
template <typename Real>
class Residual {
 public:
  // `largest`: the largest element of X, whose roundings are in R. `harmless`: elements are left
  // out of products if their norm is no more than this.
  Residual(const BlockMatrix<Real>& whole, const Aggregate& aggregate,
           const ShortProducts& short_products, double largest, double harmless)
      : whole_(whole), aggregate_(aggregate), blocks_(whole.layout().blocks.size()) {
    const double roundings = kRoundings * std::max(largest, LargestOf(whole));
    ForEachBlock(whole.layout(), [&](std::size_t l) {
      constexpr int kSmall = 64;  // where nothing is gained
      const Block& block = whole.block(l);
      if (block.shape == Shape::kDiagonal || block.size < kSmall || aggregate.is_short(l)) return;
      Split(short_products.only_of_rank_one(l), roundings, harmless, l);
    });
  }

  const BlockMatrix<Real>& whole() const { return whole_; }

  // product = R b.
  void Multiply(const BlockMatrix<Real>& b, BlockMatrix<Real>& product) const {
    ForEachBlock(whole_.layout(), [&](std::size_t l) {
      if (blocks_[l].begin.empty()) return aggregate_.MultiplyBlock(whole_, b, product, l);
      MultiplyShort(blocks_[l], b.dense(l), product.dense(l));
    });
  }

 private:
  static constexpr double kRoundings = std::is_same_v<Real, double> ? 2e-15 : 1e-30;

  // A value: the elements of a block, less `times` the term, that are more than roundings, by row.
  // None: they are too many, or the others too large.
  struct OfBlock {
    const Term* term = nullptr;
    Real times = Real(0);
    std::vector<std::size_t> begin;
    std::vector<int> columns;
    std::vector<Real> values;
  };

  // The median of some of R's elements over those of the term: its multiple, if most elements are
  // of nothing else.
  static Real TimesOf(const Term& term, Matrix<const Real> r) {
    constexpr std::size_t kSome = 63;
    std::vector<Real> times;
    for (std::size_t k = 0; k < kSome; ++k) {
      const std::size_t i = (k * 7919 + 1) % term.left.rows.size(),
                        j = (k * 104729 + 3) % term.right.rows.size();
      times.push_back(r.at(term.left.rows[i], term.right.rows[j]) /
                      Real(term.left.values[i] * term.right.values[j]));
    }
    std::sort(times.begin(), times.end());
    return times[kSome / 2];
  }

  void Split(const Term* term, double roundings, double harmless, std::size_t l) {
    const Matrix<const Real> r = whole_.dense(l);
    const auto n = static_cast<std::size_t>(r.rows);
    OfBlock of = {.term = term, .times = term == nullptr ? Real(0) : TimesOf(*term, r)};
    of.begin = {0};
    // As Aggregate's.
    constexpr std::size_t kTimes = 6;
    double left_out = 0;
    std::vector<Real> of_left(n, Real(0)), row(n);
    if (term != nullptr) {
      for (std::size_t k = 0; k < term->left.rows.size(); ++k) {
        of_left[static_cast<std::size_t>(term->left.rows[k])] = of.times * term->left.values[k];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(r.row(static_cast<int>(i)), n, row.begin());
      if (term != nullptr && !(of_left[i] == Real(0))) {
        for (std::size_t k = 0; k < term->right.rows.size(); ++k) {
          row[static_cast<std::size_t>(term->right.rows[k])] -= of_left[i] * term->right.values[k];
        }
      }
      for (std::size_t j = 0; j < n; ++j) {
        const double size = std::abs(static_cast<double>(row[j]));
        if (size <= roundings) {
          left_out += size * size;
          continue;
        }
        of.columns.push_back(static_cast<int>(j));
        of.values.push_back(row[j]);
      }
      if (kTimes * of.columns.size() > n * n) return;
      of.begin.push_back(of.columns.size());
    }
    if (std::sqrt(left_out) <= harmless) blocks_[l] = std::move(of);
  }

  static void MultiplyShort(const OfBlock& of, Matrix<const Real> b, Matrix<Real> product) {
    const auto n = static_cast<std::size_t>(b.rows);
    const bool has_term = of.term != nullptr && !(of.times == Real(0));
    std::vector<Real> of_term, of_left(n, Real(0));
    if (has_term) {
      of_term = TimesRows(of.term->right, b);
      for (std::size_t k = 0; k < of.term->left.rows.size(); ++k) {
        of_left[static_cast<std::size_t>(of.term->left.rows[k])] =
            of.times * of.term->left.values[k];
      }
    }
    ForEachStripe(b.rows, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const std::span<Real> row(product.row(i), n);
        std::fill(row.begin(), row.end(), Real(0));
        const auto at = static_cast<std::size_t>(i);
        for (std::size_t k = of.begin[at]; k < of.begin[at + 1]; ++k) {
          AddTo(row, of.values[k], std::span<const Real>(b.row(of.columns[k]), n));
        }
        if (has_term) AddTo(row, of_left[at], std::span<const Real>(of_term));
      }
    });
  }

  const BlockMatrix<Real>& whole_;
  const Aggregate& aggregate_;
  std::vector<OfBlock> blocks_;
};

}  // namespace sdpa
