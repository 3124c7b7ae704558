// Problems with matrices of many shapes, side by side in one problem, for tests of what is computed
// from them. No solution is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

enum class MatrixShape {
  kEmpty,
  kSingle,    // an element on the diagonal, or not
  kFew,       // some elements
  kDiagonal,  // all of it
  kStar,      // a row and its column
  kRankOne,   // of some rows, of either sign
  kDense,
};
inline constexpr int kMatrixShapes = 7;

// Adds a matrix of that shape to a block; of a diagonal block the diagonal.
inline void AddRandom(std::mt19937_64& random, MatrixShape shape, int block, const Block& of,
                      MatrixBuilder& matrix) {
  std::normal_distribution<double> value;
  const int n = of.size;
  const auto row = [&] { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto add = [&](int i, int j, double element) {
    matrix.Add(block, i, of.shape == Shape::kDense ? j : i, element);
  };
  switch (shape) {
    case MatrixShape::kEmpty:
      return;
    case MatrixShape::kSingle:
      return add(row(), row(), value(random));
    case MatrixShape::kFew:
      for (int k = 0; k < 4; ++k) add(row(), row(), value(random));
      return;
    case MatrixShape::kDiagonal:
      for (int i = 0; i < n; ++i) add(i, i, value(random));
      return;
    case MatrixShape::kStar:
      for (int i = 0, center = row(); i < n; ++i) add(center, i, value(random));
      return;
    case MatrixShape::kRankOne: {
      const double sign = random() % 2 == 0 ? 1 : -1;
      std::vector<double> vector(static_cast<std::size_t>(n), 0.0);
      for (double& element : vector) element = random() % 4 == 0 ? 0 : value(random);
      for (int i = 0; i < n; ++i) {
        for (int j = of.shape == Shape::kDense ? 0 : i; j <= i; ++j) {
          add(j, i,
              sign * vector[static_cast<std::size_t>(i)] * vector[static_cast<std::size_t>(j)]);
        }
      }
      return;
    }
    case MatrixShape::kDense:
      for (int i = 0; i < n; ++i) {
        for (int j = of.shape == Shape::kDense ? 0 : i; j <= i; ++j) add(j, i, value(random));
      }
  }
}

// m matrices, each of any shape in any of the blocks, and F_0 empty.
inline Problem RandomMatrices(std::mt19937_64& random, const std::vector<Block>& blocks,
                              std::size_t m) {
  Problem problem = {.blocks = blocks, .costs = std::vector<double>(m, 1), .matrices = {{}}};
  for (std::size_t i = 0; i < m; ++i) {
    MatrixBuilder matrix;
    for (std::size_t l = 0; l < blocks.size(); ++l) {
      if (random() % 3 == 0) continue;
      AddRandom(random, static_cast<MatrixShape>(random() % kMatrixShapes), static_cast<int>(l),
                blocks[l], matrix);
    }
    problem.matrices.push_back(matrix.Build());
  }
  return problem;
}

// Each F_i of one shape in all blocks.
inline Problem MatricesOfShape(std::mt19937_64& random, MatrixShape shape,
                               const std::vector<Block>& blocks, std::size_t m) {
  Problem problem = {.blocks = blocks, .costs = std::vector<double>(m, 1), .matrices = {{}}};
  for (std::size_t i = 0; i < m; ++i) {
    MatrixBuilder matrix;
    for (std::size_t l = 0; l < blocks.size(); ++l) {
      AddRandom(random, shape, static_cast<int>(l), blocks[l], matrix);
    }
    problem.matrices.push_back(matrix.Build());
  }
  return problem;
}

// G G' / n + I in each block, in Real's digits: as Y and X^-1 are.
template <typename Real>
std::vector<Real> RandomPositive(std::mt19937_64& random, const Layout& layout) {
  std::normal_distribution<double> value;
  std::vector<Real> all;
  for (const auto& [shape, size] : layout.blocks) {
    const auto n = static_cast<std::size_t>(size);
    if (shape == Shape::kDiagonal) {
      for (std::size_t i = 0; i < n; ++i)
        all.push_back(Real(0.1) + Real(value(random)) * value(random) * 0.01);
      continue;
    }
    std::vector<double> g(n * n);
    for (double& element : g) element = value(random);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        Real sum(i == j ? 1 : 0);
        for (std::size_t k = 0; k < n; ++k) {
          sum += Real(g[std::max(i, j) * n + k]) * g[std::min(i, j) * n + k] /
                 Real(static_cast<double>(n));
        }
        all.push_back(sum);
      }
    }
  }
  return all;
}

}  // namespace sdpa
