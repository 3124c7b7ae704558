// Sums of hashes tell whether two orders list the same edges. Pure.
#pragma once

#include <bit>
#include <cstdint>

namespace graph {

// Sums of hashes of different edges differ, but for one chance in 2^64. -0 is 0.
inline std::uint64_t EdgeHash(std::uint64_t smaller, std::uint64_t larger, double weight) {
  std::uint64_t x = std::bit_cast<std::uint64_t>(weight + 0.0) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 32 ^ (smaller << 32 | larger)) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

}  // namespace graph
