// A symmetric matrix from its elements in any order. Pure.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include "apps/sdpa/problem.h"

namespace sdpa {

// A value.
class MatrixBuilder {
 public:
  // To an element and its mirror image, which are one on the diagonal.
  void Add(int block, int row, int column, double value) {
    elements_[{block, std::min(row, column), std::max(row, column)}] += value;
  }
  // What an element of A adds to A + A': twice that on the diagonal.
  void AddWithTranspose(int block, int row, int column, double value) {
    Add(block, row, column, row == column ? 2 * value : value);
  }

  SparseMatrix Build() const {
    SparseMatrix matrix;
    for (const auto& [place, value] : elements_) {
      if (value == 0) continue;
      const auto [block, row, column] = place;
      if (matrix.empty() || matrix.back().block != block) matrix.push_back({block, {}});
      matrix.back().elements.push_back({row, column, value});
    }
    return matrix;
  }

 private:
  std::map<std::tuple<int, int, int>, double> elements_;
};

// A dense block; one of a single row is a diagonal, as in files.
inline Block BlockOfRows(int size) { return {size > 1 ? Shape::kDense : Shape::kDiagonal, size}; }

}  // namespace sdpa
