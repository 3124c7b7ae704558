// The rows of elements that the body of a task sees.
#pragma once

#include <cstddef>
#include <span>

#include "taskrt/tile.h"

namespace taskrt {

// A value.
template <typename T>
class View {
 public:
  explicit View(const Tile& tile) : tile_(tile) {}

  std::size_t rows() const { return tile_.rows; }
  std::size_t columns() const { return tile_.row_bytes / sizeof(T); }
  T& operator()(std::size_t row, std::size_t column) const { return this->row(row)[column]; }
  std::span<T> row(std::size_t row) const {
    return {reinterpret_cast<T*>(tile_.data + row * tile_.stride), columns()};
  }
  // Of one row.
  T& operator[](std::size_t column) const { return (*this)(0, column); }
  std::size_t size() const { return rows() * columns(); }

 private:
  Tile tile_;
};

}  // namespace taskrt
