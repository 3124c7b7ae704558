// Symmetric matrices of several blocks, with all their elements, and what a solver does with them,
// all blocks at once.
//
// Threads: a value; const members from any. From lightweight threads all functions but the
// constructor's: large blocks are computed by all workers of the pool. Each result is the same to
// the last bit for any number of workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/dense.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/linear/lanczos.h"
#include "apps/sdpa/linear/small_eigenvalue.h"
#include "apps/sdpa/linear/spare_vectors.h"
#include "apps/sdpa/problem/problem.h"
#include "lwt/parallel.h"

namespace sdpa {

// A value: where the blocks of all matrices of a problem begin.
struct Layout {
  explicit Layout(const std::vector<Block>& of_problem);

  std::vector<Block> blocks;
  std::vector<std::size_t> begin;  // of each block in the elements of all; one more: their number
  std::size_t rows = 0;            // of all blocks
  std::int64_t grain = 1;          // blocks that one thread works on at least

  std::size_t elements() const { return begin.back(); }

  // Of its matrices.
  template <typename Real>
  SpareVectors<Real>& spares() const {
    return std::get<SpareVectors<Real>>(*spares_of_all);
  }

  std::shared_ptr<std::tuple<SpareVectors<double>, SpareVectors<DoubleDouble>>> spares_of_all;
};

// A value. A dense block has size x size elements, row by row; a diagonal one has its diagonal.
template <typename Real>
class BlockMatrix {
 public:
  BlockMatrix() = default;
  // Zeros.
  explicit BlockMatrix(std::shared_ptr<const Layout> layout) : BlockMatrix(Unset(layout)) {
    std::fill(elements_.begin(), elements_.end(), Real(0));
  }
  // Any elements, for results.
  static BlockMatrix Unset(std::shared_ptr<const Layout> layout) {
    BlockMatrix matrix;
    matrix.layout_ = std::move(layout);
    matrix.elements_ = matrix.layout_->template spares<Real>().Take(matrix.layout_->elements());
    return matrix;
  }
  BlockMatrix(const BlockMatrix& other) { *this = other; }
  BlockMatrix& operator=(const BlockMatrix& other) {
    if (this == &other) return *this;
    if (layout_ != other.layout_) {
      *this = other.layout_ == nullptr ? BlockMatrix() : Unset(other.layout_);
    }
    std::copy(other.elements_.begin(), other.elements_.end(), elements_.begin());
    return *this;
  }
  BlockMatrix(BlockMatrix&& other) noexcept
      : layout_(std::move(other.layout_)), elements_(std::move(other.elements_)) {}
  BlockMatrix& operator=(BlockMatrix&& other) noexcept {
    std::swap(layout_, other.layout_);
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~BlockMatrix() {
    if (layout_ != nullptr) layout_->template spares<Real>().Leave(std::move(elements_));
  }

  const Layout& layout() const { return *layout_; }
  const std::shared_ptr<const Layout>& shared_layout() const { return layout_; }
  const Block& block(std::size_t number) const { return layout_->blocks[number]; }
  std::span<Real> elements() { return elements_; }
  std::span<const Real> elements() const { return elements_; }
  std::span<Real> elements(std::size_t block) { return Of(std::span<Real>(elements_), block); }
  std::span<const Real> elements(std::size_t block) const {
    return Of(std::span<const Real>(elements_), block);
  }
  // Of a dense block.
  Matrix<Real> dense(std::size_t number) {
    return Square(elements(number), layout_->blocks[number].size);
  }
  Matrix<const Real> dense(std::size_t number) const {
    return Square(elements(number), layout_->blocks[number].size);
  }

  void AddToDiagonal(Real value);
  void Add(Real factor, const BlockMatrix& other);
  void Add(Real factor, const SparseMatrix& other);
  void Scale(Real factor);
  // Each dense block A becomes (A + A') / 2.
  void MakeSymmetric();

 private:
  template <typename T>
  std::span<T> Of(std::span<T> all, std::size_t block) const {
    return all.subspan(layout_->begin[block], layout_->begin[block + 1] - layout_->begin[block]);
  }

  std::shared_ptr<const Layout> layout_;
  std::vector<Real> elements_;
};

// Calls body(number) for each block; several threads.
template <typename Body>
void ForEachBlock(const Layout& layout, const Body& body) {
  lwt::ParallelFor(0, static_cast<std::int64_t>(layout.blocks.size()), layout.grain,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t l = begin; l < end; ++l) body(static_cast<std::size_t>(l));
                   });
}

// The largest absolute element.
template <typename Real>
double LargestOf(const BlockMatrix<Real>& a) {
  double largest = 0;
  for (const Real element : a.elements()) {
    largest = std::max(largest, std::abs(static_cast<double>(element)));
  }
  return largest;
}

// The sum of the products of all elements.
template <typename Real>
Real Dot(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b) {
  constexpr std::int64_t kElements = 1 << 14;
  return lwt::ParallelReduce(
      0, static_cast<std::int64_t>(a.elements().size()), kElements, Real(0),
      [&](std::int64_t begin, std::int64_t end) {
        const auto first = static_cast<std::size_t>(begin),
                   count = static_cast<std::size_t>(end - begin);
        return Dot(a.elements().subspan(first, count), b.elements().subspan(first, count));
      },
      [](Real left, Real right) { return left + right; });
}

template <typename Real>
Real Dot(const SparseMatrix& a, const BlockMatrix<Real>& b) {
  Real sum(0);
  for (const auto& [number, elements] : a) {
    const auto l = static_cast<std::size_t>(number);
    const std::span<const Real> of_b = b.elements(l);
    const auto stride = static_cast<std::size_t>(b.block(l).size);
    const bool is_dense = b.block(l).shape == Shape::kDense;
    for (const auto [row, column, value] : elements) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
      if (!is_dense) {
        sum += value * of_b[i];
      } else if (i == j) {
        sum += value * of_b[i * stride + i];
      } else {
        sum += value * (of_b[i * stride + j] + of_b[j * stride + i]);
      }
    }
  }
  return sum;
}

// product = a b, which is not symmetric; of one block, and of all.
template <typename Real>
void MultiplyBlock(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b,
                   BlockMatrix<Real>& product, std::size_t l) {
  if (a.block(l).shape == Shape::kDense) {
    return ParallelMultiply(1, a.dense(l), b.dense(l), 0, product.dense(l));
  }
  for (std::size_t i = 0; i < a.elements(l).size(); ++i) {
    product.elements(l)[i] = a.elements(l)[i] * b.elements(l)[i];
  }
}
template <typename Real>
void Multiply(const BlockMatrix<Real>& a, const BlockMatrix<Real>& b, BlockMatrix<Real>& product) {
  ForEachBlock(a.layout(), [&](std::size_t l) { MultiplyBlock(a, b, product, l); });
}

// A value: L of a positive definite matrix L L', its lower triangles row by row.
template <typename Real>
class CholeskyFactor {
 public:
  // None where the matrix is not positive definite, as far as can be seen.
  static std::optional<CholeskyFactor> Of(const BlockMatrix<Real>& matrix);

  // Of the matrix.
  BlockMatrix<Real> Inverse() const;
  // About the largest step <= most by which `direction` may be added and the matrix stays positive
  // definite: hardly ever too large.
  double LargestStep(const BlockMatrix<Real>& direction, double most) const;

 private:
  explicit CholeskyFactor(BlockMatrix<Real> factor) : factor_(std::move(factor)) {}

  BlockMatrix<Real> factor_;
};

template <typename Real>
void BlockMatrix<Real>::AddToDiagonal(Real value) {
  for (std::size_t l = 0; l < layout_->blocks.size(); ++l) {
    const std::span<Real> of_block = elements(l);
    const auto size = static_cast<std::size_t>(block(l).size);
    const std::size_t stride = block(l).shape == Shape::kDense ? size + 1 : 1;
    for (std::size_t i = 0; i < size; ++i) of_block[i * stride] += value;
  }
}

// Calls body(first, count) for pieces of so many elements, each as long as a BLAS can count;
// several threads.
template <typename Body>
void ForEachPiece(std::size_t elements, const Body& body) {
  constexpr std::int64_t kElements = 1 << 14;
  lwt::ParallelFor(0, static_cast<std::int64_t>(elements), kElements,
                   [&](std::int64_t begin, std::int64_t end) {
                     body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
                   });
}

template <typename Real>
void BlockMatrix<Real>::Add(Real factor, const BlockMatrix& other) {
  ForEachPiece(elements_.size(), [&](std::size_t first, std::size_t count) {
    AddTo(elements().subspan(first, count), factor, other.elements().subspan(first, count));
  });
}

template <typename Real>
void BlockMatrix<Real>::Add(Real factor, const SparseMatrix& other) {
  for (const auto& [number, elements_of] : other) {
    const auto l = static_cast<std::size_t>(number);
    const std::span<Real> to = elements(l);
    const auto stride = static_cast<std::size_t>(block(l).size);
    const bool is_dense = block(l).shape == Shape::kDense;
    for (const auto [row, column, value] : elements_of) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
      to[is_dense ? i * stride + j : i] += factor * value;
      if (is_dense && i != j) to[j * stride + i] += factor * value;
    }
  }
}

template <typename Real>
void BlockMatrix<Real>::Scale(Real factor) {
  ForEachPiece(elements_.size(), [&](std::size_t first, std::size_t count) {
    for (Real& element : elements().subspan(first, count)) element *= factor;
  });
}

template <typename Real>
void BlockMatrix<Real>::MakeSymmetric() {
  ForEachBlock(*layout_, [&](std::size_t l) {
    if (block(l).shape == Shape::kDiagonal) return;
    const Matrix<Real> a = dense(l);
    ForEachStripe(a.rows, [&](int begin, int end) {
      CombineWithTransposed(a, begin, end,
                            [](Real one, Real other) { return (one + other) * 0.5; });
    });
  });
}

template <typename Real>
std::optional<CholeskyFactor<Real>> CholeskyFactor<Real>::Of(const BlockMatrix<Real>& matrix) {
  BlockMatrix<Real> factor = matrix;
  std::atomic<bool> is_positive{true};
  ForEachBlock(factor.layout(), [&](std::size_t l) {
    bool is_factored = true;
    if (factor.block(l).shape == Shape::kDense) {
      is_factored = ParallelCholesky(factor.dense(l));
    } else {
      for (Real& element : factor.elements(l)) {
        using std::sqrt;
        is_factored = is_factored && element > 0.0;
        if (is_factored) element = sqrt(element);
      }
    }
    if (!is_factored) is_positive.store(false, std::memory_order_relaxed);
  });
  if (!is_positive.load(std::memory_order_relaxed)) return std::nullopt;
  return CholeskyFactor(std::move(factor));
}

template <typename Real>
BlockMatrix<Real> CholeskyFactor<Real>::Inverse() const {
  auto inverse = BlockMatrix<Real>::Unset(factor_.shared_layout());
  auto scratch = BlockMatrix<Real>::Unset(factor_.shared_layout());
  ForEachBlock(factor_.layout(), [&](std::size_t l) {
    if (factor_.block(l).shape == Shape::kDense) {
      return InverseOfFactor(factor_.dense(l), scratch.dense(l), inverse.dense(l));
    }
    for (std::size_t i = 0; i < factor_.elements(l).size(); ++i) {
      const Real root = factor_.elements(l)[i];
      inverse.elements(l)[i] = Real(1) / (root * root);
    }
  });
  return inverse;
}

// X + s D is positive semidefinite as long as 1 + s times the least eigenvalue of L^-1 D L'^-1 is
// not below 0.
template <typename Real>
double CholeskyFactor<Real>::LargestStep(const BlockMatrix<Real>& direction, double most) const {
  std::vector<double> least(factor_.layout().blocks.size());
  ForEachBlock(factor_.layout(), [&](std::size_t l) {
    if (factor_.block(l).shape == Shape::kDense) {
      const Matrix<const Real> factor = factor_.dense(l);
      least[l] = factor.rows <= kMostSmallRows ? LeastEigenvalueOfSmall(factor, direction.dense(l))
                                               : LeastEigenvalueBound(factor, direction.dense(l));
      return;
    }
    least[l] = 0;
    for (std::size_t i = 0; i < factor_.elements(l).size(); ++i) {
      const Real root = factor_.elements(l)[i];
      least[l] = std::min(least[l], static_cast<double>(direction.elements(l)[i] / (root * root)));
    }
  });
  double of_all = -1 / most;
  for (const double of_block : least) of_all = std::min(of_all, of_block);
  return -1 / of_all;
}

}  // namespace sdpa
