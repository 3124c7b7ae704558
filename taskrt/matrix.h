// Blocks of elements of one type, and accesses to them.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "taskrt/handle.h"
#include "taskrt/runtime.h"
#include "taskrt/tile.h"
#include "taskrt/view.h"

namespace taskrt {

// A value: names a block of elements of one type, and does not end it (block.h).
template <typename T>
struct Matrix {
  Handle handle;
};

// `rows` by `columns` elements, of which rows begin `stride` elements after each other.
template <typename T>
Tile TileOf(T* data, std::size_t rows, std::size_t columns, std::size_t stride) {
  static_assert(std::is_trivially_copyable_v<T>, "devices copy bytes");
  return {reinterpret_cast<std::byte*>(data), rows, columns * sizeof(T), stride * sizeof(T)};
}

// As Runtime::Register: the caller unregisters the block before its memory is gone.
template <typename T>
Matrix<T> Register(Runtime& runtime, std::string name, T* data, std::size_t rows,
                   std::size_t columns, std::size_t stride, int owner = 0) {
  return {runtime.Register(std::move(name), TileOf(data, rows, columns, stride), owner)};
}
// One row.
template <typename T>
Matrix<T> Register(Runtime& runtime, std::string name, std::vector<T>& values, int owner = 0) {
  return Register(runtime, std::move(name), values.data(), 1, values.size(), values.size(), owner);
}

// Values: what a task does with a block, and how its body sees that.
template <typename Element>
struct TypedAccess {
  using Seen = View<Element>;
  Access access;
};
template <typename T>
TypedAccess<const T> in(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kIn}};
}
template <typename T>
TypedAccess<T> out(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kOut}};
}
template <typename T>
TypedAccess<T> inout(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kInOut}};
}
template <typename T>
TypedAccess<T> commutative(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kCommutative}};
}
template <typename T>
TypedAccess<T> reduction(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kReduction}};
}

}  // namespace taskrt
