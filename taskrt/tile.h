// The memory of a block: rows of bytes that lie at a distance from each other, as those of a part
// of a matrix do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "taskrt/language.h"

namespace taskrt {

// A value.
struct Tile {
  std::byte* data = nullptr;
  std::uint64_t rows = 1;
  std::uint64_t row_bytes = 0;
  std::uint64_t stride = 0;  // bytes from a row to the next

  std::uint64_t bytes() const { return rows * row_bytes; }
  bool is_packed() const { return rows == 1 || stride == row_bytes; }
};

// The same rows without gaps, at `data`.
inline Tile Packed(const Tile& tile, std::byte* data) {
  return {data, tile.rows, tile.row_bytes, tile.row_bytes};
}

// Of as many rows of as many bytes. A tile without bytes may have no memory, of which memcpy takes
// not even nothing.
inline void CopyRows(const Tile& from, const Tile& to) {
  if (from.row_bytes == 0) return;
  for (std::uint64_t row = 0; row < from.rows; ++row) {
    std::memcpy(to.data + row * to.stride, from.data + row * from.stride, from.row_bytes);
  }
}

}  // namespace taskrt
