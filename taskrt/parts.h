// Parts of a matrix, which tasks access for themselves.
//
//   taskrt::Block<double> a(*runtime, "a", 1000, 1000);
//   const taskrt::Parts<double> tiles = taskrt::Divide(*runtime, a, 250, 250);
//   for (std::size_t i = 0; i < tiles.rows(); ++i) Submit(*runtime, factor, inout(tiles(i, i)));
//   Submit(*runtime, print, in(a));  // after these
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "lwt/contract.h"
#include "taskrt/handle.h"
#include "taskrt/matrix.h"
#include "taskrt/runtime.h"
#include "taskrt/tile.h"

namespace taskrt {

// A value: the parts of a block in one division, which end with the block.
template <typename T>
class Parts {
 public:
  // `parts`: row by row.
  Parts(std::vector<Handle> parts, std::size_t columns)
      : parts_(std::move(parts)), columns_(columns) {}

  std::size_t rows() const { return columns_ == 0 ? 0 : parts_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  std::size_t size() const { return parts_.size(); }
  Matrix<T> operator()(std::size_t row, std::size_t column) const {
    lwt::CheckContract(column < columns_, "a row of parts has so many columns");
    return (*this)[row * columns_ + column];
  }
  // Row by row.
  Matrix<T> operator[](std::size_t index) const {
    lwt::CheckContract(index < parts_.size(), "a block has so many parts");
    return {parts_[index]};
  }

 private:
  std::vector<Handle> parts_;
  std::size_t columns_;
};

// As Runtime::Divide: parts of `rows` by `columns` elements, less at the ends of the matrix.
template <typename T>
Parts<T> Divide(Runtime& runtime, const Matrix<T>& whole, std::size_t rows, std::size_t columns) {
  lwt::CheckContract(rows > 0 && columns > 0, "parts have some rows and columns");
  const std::size_t all = runtime.TileOf(whole.handle).row_bytes / sizeof(T);
  if (all == 0) return Parts<T>({}, 0);
  columns = std::min(columns, all);
  const std::size_t in_row = all / columns + (all % columns != 0);
  return Parts<T>(runtime.Divide(whole.handle, rows, columns * sizeof(T)), in_row);
}
template <typename T>
Parts<T> DivideRows(Runtime& runtime, const Matrix<T>& whole, std::size_t rows) {
  return Divide(runtime, whole, rows, std::numeric_limits<std::size_t>::max());
}
template <typename T>
Parts<T> DivideColumns(Runtime& runtime, const Matrix<T>& whole, std::size_t columns) {
  return Divide(runtime, whole, std::numeric_limits<std::size_t>::max(), columns);
}

}  // namespace taskrt
