// Which tiles share memory. Tiles of one matrix lie between each other's rows: the ranges of their
// addresses cross, and they share nothing.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "taskrt/tile.h"

namespace taskrt {

// From its first byte to its last.
inline std::uint64_t SpanOf(const Tile& tile) {
  return tile.bytes() == 0 ? 0 : (tile.rows - 1) * tile.stride + tile.row_bytes;
}

namespace overlap {

inline std::uintptr_t Address(const Tile& tile) {
  return reinterpret_cast<std::uintptr_t>(tile.data);
}

// Of the tile's rows that begin before `end` the last one ends last.
inline bool RangeMeets(std::uintptr_t begin, std::uintptr_t end, const Tile& tile) {
  const std::uintptr_t at = Address(tile);
  if (end <= at) return false;
  const std::uint64_t row =
      tile.rows == 1 ? 0 : std::min(tile.rows - 1, (end - 1 - at) / tile.stride);
  return at + row * tile.stride + tile.row_bytes > begin;
}

// Both lie in one grid of rows as long as the stride. `a` begins first, in column 0.
inline bool RectanglesMeet(const Tile& a, const Tile& b) {
  const std::uint64_t distance = Address(b) - Address(a);
  const std::uint64_t row = distance / a.stride, column = distance % a.stride;
  if (row < a.rows && column < a.row_bytes) return true;
  return row + 1 < a.rows && column + b.row_bytes > a.stride;  // What goes on in the next row.
}

}  // namespace overlap

// Do they have a byte in common? A tile without data is nowhere.
inline bool Overlap(const Tile& a, const Tile& b) {
  using overlap::Address;
  if (a.data == nullptr || b.data == nullptr || a.bytes() == 0 || b.bytes() == 0) return false;
  if (Address(a) + SpanOf(a) <= Address(b) || Address(b) + SpanOf(b) <= Address(a)) return false;
  if (a.rows > 1 && b.rows > 1 && a.stride == b.stride) {
    return Address(a) <= Address(b) ? overlap::RectanglesMeet(a, b) : overlap::RectanglesMeet(b, a);
  }
  const Tile& few = a.rows < b.rows ? a : b;
  const Tile& many = a.rows < b.rows ? b : a;
  for (std::uint64_t row = 0; row < few.rows; ++row) {
    const std::uintptr_t begin = Address(few) + row * few.stride;
    if (overlap::RangeMeets(begin, begin + few.row_bytes, many)) return true;
  }
  return false;
}

// A value: tiles that do not overlap, each with a name.
template <typename Name>
class Tiles {
 public:
  // The name of one that shares memory with `tile`.
  std::optional<Name> OneThatOverlaps(const Tile& tile) const {
    const std::uintptr_t begin = overlap::Address(tile), end = begin + SpanOf(tile);
    for (std::size_t size = 0; size < of_size_.size(); ++size) {
      // Tiles here have spans of less than `most`.
      const std::uint64_t most = size + 1 < 64 ? std::uint64_t{1} << size : ~std::uint64_t{0};
      const auto& tiles = of_size_[size];
      auto one = tiles.lower_bound(begin < most ? 0 : begin - most);
      for (; one != tiles.end() && one->first < end; ++one) {
        if (Overlap(one->second.first, tile)) return one->second.second;
      }
    }
    return std::nullopt;
  }

  // Precondition: it overlaps none.
  void Add(const Tile& tile, Name name) {
    if (IsSomewhere(tile)) OfSize(tile).emplace(overlap::Address(tile), std::pair(tile, name));
  }
  void Remove(const Tile& tile) {
    if (IsSomewhere(tile)) OfSize(tile).erase(overlap::Address(tile));
  }

 private:
  static bool IsSomewhere(const Tile& tile) { return tile.data != nullptr && tile.bytes() > 0; }
  // By the number of bits of its span: a search near small tiles does not look far for a large one.
  auto& OfSize(const Tile& tile) {
    return of_size_[static_cast<std::size_t>(std::bit_width(SpanOf(tile)))];
  }

  std::array<std::map<std::uintptr_t, std::pair<Tile, Name>>, 65> of_size_;
};

}  // namespace taskrt
