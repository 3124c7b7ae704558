// Products with combinations of the constraints' matrices, and what the constraints see of a
// product X^-1 M, where both are much less than a product of all elements: where F_1 to F_m have
// few elements together, but for some of rank 1, as in problems of graphs.
//
// The constraints see the elements of the pattern, where some F_i has one that is not by its rank,
// and for each F_i of rank 1 the number F_i.A. So the equations are solved before any product of
// all elements is computed, and one is enough for a direction.
//
// Threads: from lightweight threads. Each result is the same to the last bit for any number of
// workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/sdpa/elements/terms.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "lwt/parallel.h"

namespace sdpa {

// A value: what the constraints see of a symmetric matrix.
template <typename Real>
struct Seen {
  std::vector<Real> elements;   // of the pattern
  std::vector<Real> by_vector;  // F.A, of each matrix of rank 1

  // this += factor other.
  void Add(Real factor, const Seen& other) {
    AddTo(std::span<Real>(elements), factor, std::span<const Real>(other.elements));
    AddTo(std::span<Real>(by_vector), factor, std::span<const Real>(other.by_vector));
  }
  void Scale(Real factor) {
    for (Real& element : elements) element *= factor;
    for (Real& product : by_vector) product *= factor;
  }
};

// A value.
class ShortProducts {
 public:
  // `rounding`: as of Columns.
  ShortProducts(const Problem& problem, std::shared_ptr<const Layout> layout, Rounding rounding);

  // Are they less work than products of all elements? If not nothing else is called.
  bool are_short() const { return are_short_; }

  // The only F_i of rank 1 in a block that has just one; else null.
  const Term* only_of_rank_one(std::size_t block) const {
    if (!are_short_ || blocks_[block].of_rank_one.size() != 1) return nullptr;
    return &blocks_[block].of_rank_one[0].term;
  }

  // Of a.
  template <typename Real>
  Seen<Real> See(const BlockMatrix<Real>& a) const;
  // Of (a b + b'a) / 2, of a symmetric matrix a. `scratch`: overwritten.
  template <typename Real>
  Seen<Real> SeeProduct(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b,
                        BlockMatrix<Real>& scratch) const;
  // F_i.A for each i.
  template <typename Real>
  std::vector<Real> ProductsOf(const Seen<Real>& seen) const;
  // The pattern's elements of `a` become those that were seen.
  template <typename Real>
  void Set(const Seen<Real>& seen, BlockMatrix<Real>& a) const;

  // product = (F_1 x_1 + ... + F_m x_m) b.
  template <typename Real>
  void Multiply(const std::vector<Real>& x, const BlockMatrix<Real>& b,
                BlockMatrix<Real>& product) const;

 private:
  // A value: an element of F_i, by its place among all elements of the pattern.
  struct Entry {
    std::size_t place = 0;
    double value = 0;
  };
  // A value: F_i in a block, of rank 1.
  struct OfRankOne {
    std::size_t constraint = 0;
    Term term;
  };
  // A value: the pattern of a block. Row i of the upper triangle with the diagonal has the places
  // from begin[i] on, and `all` both triangles by row. A diagonal block has all its rows.
  struct OfBlock {
    struct Neighbor {
      int column = 0;
      std::size_t place = 0;
    };
    std::size_t first = 0;  // place
    std::vector<std::size_t> begin;
    std::vector<int> columns;
    std::vector<std::size_t> all_begin;
    std::vector<Neighbor> all;
    std::vector<OfRankOne> of_rank_one;
    std::size_t first_of_rank_one = 0;  // in Seen::by_vector
  };

  void Choose(const Problem& problem, Rounding rounding);
  void AddPattern(const Problem& problem);
  // Calls each(row, column, place) for the pattern of a dense block; several threads.
  template <typename Each>
  void ForEachPlace(std::size_t l, const Each& each) const {
    const OfBlock& of = blocks_[l];
    ForEachStripe(layout_->blocks[l].size, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (std::size_t k = of.begin[row]; k < of.begin[row + 1]; ++k) {
          each(i, of.columns[k], of.first + k);
        }
      }
    });
  }

  std::shared_ptr<const Layout> layout_;
  bool are_short_ = false;
  std::vector<OfBlock> blocks_;
  std::size_t places_ = 0, vectors_ = 0;
  std::vector<Entry> entries_;      // by constraint
  std::vector<std::size_t> begin_;  // of each constraint's; one more: their number
};

// Row by row of the transposed matrix, so that columns lie side by side.
template <typename Real>
void Transpose(Matrix<const Real> a, Matrix<Real> to) {
  constexpr int kTile = 16;
  ForEachStripe(a.rows, [&](int begin, int end) {
    for (int row = begin; row < end; row += kTile) {
      for (int column = 0; column < a.columns; column += kTile) {
        for (int j = column; j < std::min(column + kTile, a.columns); ++j) {
          for (int i = row; i < std::min(row + kTile, end); ++i) to.at(j, i) = a.at(i, j);
        }
      }
    }
  });
}

// vector' a, of rows of a.
template <typename Real>
std::vector<Real> TimesRows(const SparseVector& vector, Matrix<const Real> a) {
  const auto n = static_cast<std::size_t>(a.columns);
  std::vector<Real> sum(n, Real(0));
  for (std::size_t k = 0; k < vector.rows.size(); ++k) {
    AddTo(std::span<Real>(sum), Real(vector.values[k]),
          std::span<const Real>(a.row(vector.rows[k]), n));
  }
  return sum;
}

template <typename Real>
Seen<Real> ShortProducts::See(const BlockMatrix<Real>& a) const {
  Seen<Real> seen = {.elements = std::vector<Real>(places_), .by_vector = {}};
  seen.by_vector.resize(vectors_);
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    const OfBlock& of = blocks_[l];
    if (layout_->blocks[l].shape == Shape::kDiagonal) {
      const auto from = a.elements(l);
      std::copy(from.begin(), from.end(),
                seen.elements.begin() + static_cast<std::ptrdiff_t>(of.first));
      continue;
    }
    const Matrix<const Real> from = a.dense(l);
    ForEachPlace(l, [&](int i, int j, std::size_t place) { seen.elements[place] = from.at(i, j); });
    for (std::size_t v = 0; v < of.of_rank_one.size(); ++v) {
      const Term& term = of.of_rank_one[v].term;
      const std::vector<Real> with = TimesRows(term.left, from);
      Real sum(0);
      for (std::size_t k = 0; k < term.right.rows.size(); ++k) {
        sum += term.right.values[k] * with[static_cast<std::size_t>(term.right.rows[k])];
      }
      seen.by_vector[of.first_of_rank_one + v] = sum;
    }
  }
  return seen;
}

template <typename Real>
Seen<Real> ShortProducts::SeeProduct(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b,
                                     BlockMatrix<Real>& scratch) const {
  Seen<Real> seen = {.elements = std::vector<Real>(places_), .by_vector = {}};
  seen.by_vector.resize(vectors_);
  ForEachBlock(*layout_, [&](std::size_t l) {
    const OfBlock& of = blocks_[l];
    if (layout_->blocks[l].shape == Shape::kDiagonal) {
      for (std::size_t i = 0; i < a.elements(l).size(); ++i) {
        seen.elements[of.first + i] = a.elements(l)[i] * b.elements(l)[i];
      }
      return;
    }
    const Matrix<const Real> left = a.dense(l);
    const Matrix<Real> right = scratch.dense(l);
    Transpose(b.dense(l), right);
    const auto n = static_cast<std::size_t>(left.rows);
    const auto product = [&](int i, int j) {
      return Dot(std::span<const Real>(left.row(i), n), std::span<const Real>(right.row(j), n));
    };
    ForEachPlace(l, [&](int i, int j, std::size_t place) {
      seen.elements[place] = i == j ? product(i, i) : (product(i, j) + product(j, i)) * 0.5;
    });
    lwt::ParallelFor(0, static_cast<std::int64_t>(of.of_rank_one.size()), 1,
                     [&](std::int64_t number, std::int64_t) {
                       const auto v = static_cast<std::size_t>(number);
                       const Term& term = of.of_rank_one[v].term;
                       const std::vector<Real> one = TimesRows(term.left, left);
                       const std::vector<Real> other =
                           TimesRows(term.right, Matrix<const Real>(right));
                       seen.by_vector[of.first_of_rank_one + v] =
                           Dot(std::span<const Real>(one), std::span<const Real>(other));
                     });
  });
  return seen;
}

template <typename Real>
std::vector<Real> ShortProducts::ProductsOf(const Seen<Real>& seen) const {
  std::vector<Real> products(begin_.size() - 1, Real(0));
  for (std::size_t i = 0; i < products.size(); ++i) {
    for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) {
      products[i] += entries_[e].value * seen.elements[entries_[e].place];
    }
  }
  for (const OfBlock& of : blocks_) {
    for (std::size_t v = 0; v < of.of_rank_one.size(); ++v) {
      products[of.of_rank_one[v].constraint] += seen.by_vector[of.first_of_rank_one + v];
    }
  }
  return products;
}

template <typename Real>
void ShortProducts::Set(const Seen<Real>& seen, BlockMatrix<Real>& a) const {
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    if (layout_->blocks[l].shape == Shape::kDiagonal) {
      const auto to = a.elements(l);
      std::copy_n(seen.elements.begin() + static_cast<std::ptrdiff_t>(blocks_[l].first), to.size(),
                  to.begin());
      continue;
    }
    const Matrix<Real> to = a.dense(l);
    ForEachPlace(l, [&](int i, int j, std::size_t place) {
      to.at(i, j) = to.at(j, i) = seen.elements[place];
    });
  }
}

template <typename Real>
void ShortProducts::Multiply(const std::vector<Real>& x, const BlockMatrix<Real>& b,
                             BlockMatrix<Real>& product) const {
  std::vector<Real> values(places_, Real(0));  // of both halves of an element each
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) {
      values[entries_[e].place] += entries_[e].value * x[i];
    }
  }
  ForEachBlock(*layout_, [&](std::size_t l) {
    const OfBlock& of = blocks_[l];
    if (layout_->blocks[l].shape == Shape::kDiagonal) {
      for (std::size_t i = 0; i < b.elements(l).size(); ++i) {
        product.elements(l)[i] = values[of.first + i] * b.elements(l)[i];
      }
      return;
    }
    const Matrix<const Real> right = b.dense(l);
    const Matrix<Real> to = product.dense(l);
    const auto n = static_cast<std::size_t>(right.rows);
    ForEachStripe(right.rows, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const std::span<Real> row(to.row(i), n);
        std::fill(row.begin(), row.end(), Real(0));
        const auto at = static_cast<std::size_t>(i);
        for (std::size_t k = of.all_begin[at]; k < of.all_begin[at + 1]; ++k) {
          const auto [column, place] = of.all[k];
          // An element beside the diagonal counts twice in a product, and is one of two here.
          const Real value = column == i ? values[place] : values[place] * 0.5;
          AddTo(row, value, std::span<const Real>(right.row(column), n));
        }
      }
    });
    for (const OfRankOne& one : of.of_rank_one) {
      const Term& term = one.term;
      const std::vector<Real> with = TimesRows(term.right, right);
      lwt::ParallelFor(
          0, static_cast<std::int64_t>(term.left.rows.size()), kStripe,
          [&](std::int64_t begin, std::int64_t end) {
            for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
              AddTo(std::span<Real>(to.row(term.left.rows[k]), n),
                    x[one.constraint] * term.left.values[k], std::span<const Real>(with));
            }
          });
    }
  });
}

}  // namespace sdpa
