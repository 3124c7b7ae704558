// Where a sparse symmetric matrix has elements. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sdpa {

// A value: the lower triangle by columns, of which each begins with its diagonal element and goes
// on by ascending rows. Values of such a matrix are in the same order.
struct SparsePattern {
  std::vector<std::size_t> column_begin = {0};  // one more than columns
  std::vector<int> rows;

  int size() const { return static_cast<int>(column_begin.size()) - 1; }  // m
  std::size_t elements() const { return rows.size(); }
  std::span<const int> column(int number) const {
    const auto at = static_cast<std::size_t>(number);
    return std::span(rows).subspan(column_begin[at], column_begin[at + 1] - column_begin[at]);
  }

  friend bool operator==(const SparsePattern&, const SparsePattern&) = default;
};

}  // namespace sdpa
