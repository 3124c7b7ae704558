// A symmetric matrix from its elements in any order. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value. What is added is kept in the order of its coming, and merged where it has become twice
// as much: a search tree of the elements takes ten times as long.
class MatrixBuilder {
 public:
  // To an element and its mirror image, which are one on the diagonal.
  void Add(int block, int row, int column, double value) {
    added_.push_back({block, std::min(row, column), std::max(row, column), value});
    if (added_.size() < enough_) return;
    Merge(added_);
    constexpr std::size_t kFew = 1024;
    enough_ = 2 * added_.size() + kFew;
  }
  // What an element of A adds to A + A': twice that on the diagonal.
  void AddWithTranspose(int block, int row, int column, double value) {
    Add(block, row, column, row == column ? 2 * value : value);
  }

  SparseMatrix Build() const {
    std::vector<Added> merged = added_;
    Merge(merged);
    SparseMatrix matrix;
    for (const auto& [block, row, column, value] : merged) {
      if (value == 0) continue;
      if (matrix.empty() || matrix.back().block != block) matrix.push_back({block, {}});
      matrix.back().elements.push_back({row, column, value});
    }
    return matrix;
  }

 private:
  struct Added {
    int block = 0, row = 0, column = 0;
    double value = 0;

    std::tuple<int, int, int> place() const { return {block, row, column}; }
  };

  // By place; the values of a place are added in the order of their coming.
  static void Merge(std::vector<Added>& added) {
    const auto is_before = [](const Added& a, const Added& b) { return a.place() < b.place(); };
    if (!std::is_sorted(added.begin(), added.end(), is_before)) {
      std::stable_sort(added.begin(), added.end(), is_before);
    }
    std::size_t count = 0;
    for (const Added& next : added) {
      if (count > 0 && added[count - 1].place() == next.place()) {
        added[count - 1].value += next.value;
      } else {
        added[count++] = next;
      }
    }
    added.resize(count);
  }

  std::vector<Added> added_;
  std::size_t enough_ = 1024;  // to be merged
};

// A dense block; one of a single row is a diagonal, as in files.
inline Block BlockOfRows(int size) { return {size > 1 ? Shape::kDense : Shape::kDiagonal, size}; }

}  // namespace sdpa
