// Symmetric matrices of several blocks, with all their elements, and what a solver does with them:
// the BLAS's and LAPACK's work, block by block.
//
// Threads: a value; const members from any.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "apps/sdpa/problem.h"

namespace sdpa {

// A value. A dense block has size x size elements, row by row; a diagonal one has its diagonal.
class BlockMatrix {
 public:
  BlockMatrix() = default;
  // Zeros.
  explicit BlockMatrix(const std::vector<Block>& blocks);

  const std::vector<Block>& blocks() const { return blocks_; }
  std::size_t rows() const { return rows_; }  // of all blocks
  std::span<double> block(std::size_t number) { return elements_[number]; }
  std::span<const double> block(std::size_t number) const { return elements_[number]; }

  void AddToDiagonal(double value);
  void Add(double scale, const BlockMatrix& other);
  void Add(double scale, const SparseMatrix& other);
  void Scale(double factor);

  double LargestAbsolute() const;  // of an element

 private:
  std::vector<Block> blocks_;
  std::size_t rows_ = 0;
  std::vector<std::vector<double>> elements_;
};

// The sum of the products of all elements.
double Dot(const BlockMatrix& a, const BlockMatrix& b);
double Dot(const SparseMatrix& a, const BlockMatrix& b);

// A B, which is not symmetric, all elements row by row.
BlockMatrix Product(const BlockMatrix& a, const BlockMatrix& b);
// (A + A') / 2.
BlockMatrix SymmetricPart(const BlockMatrix& a);

// A value: L of a positive definite matrix L L', its lower triangles row by row.
class CholeskyFactor {
 public:
  // None where the matrix is not positive definite, as far as can be seen.
  static std::optional<CholeskyFactor> Of(const BlockMatrix& matrix);

  BlockMatrix Inverse() const;  // of the matrix
  // The largest step <= most by which `direction` may be added and the matrix stays positive
  // semidefinite.
  double LargestStep(const BlockMatrix& direction, double most) const;

 private:
  explicit CholeskyFactor(BlockMatrix factor) : factor_(std::move(factor)) {}

  BlockMatrix factor_;
};

}  // namespace sdpa
