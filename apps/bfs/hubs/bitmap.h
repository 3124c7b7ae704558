// Sets of vertices as bits in words of 64. Pure.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "apps/graph/edge_list.h"

namespace bfs {

inline constexpr unsigned kWordBits = 64;

constexpr std::uint64_t WordsOf(std::uint64_t bits) { return (bits + kWordBits - 1) / kWordBits; }

constexpr std::uint64_t BitOf(std::uint64_t i) { return std::uint64_t{1} << i % kWordBits; }

constexpr bool HasBit(const std::uint64_t* words, std::uint64_t i) {
  return (words[i / kWordBits] & BitOf(i)) != 0;
}

// The lowest `count` bits, of a word that has at most so many.
constexpr std::uint64_t LowBits(std::uint64_t count) {
  return count >= kWordBits ? ~std::uint64_t{0} : BitOf(count) - 1;
}

// Calls visit(i) for each bit that is set, upward.
template <typename Visit>
constexpr void ForEachBit(std::uint64_t word, const Visit& visit) {
  for (; word != 0; word &= word - 1) visit(static_cast<unsigned>(std::countr_zero(word)));
}

// Sets the bits of these vertices that lie in words[begin, end).
constexpr void SetBits(std::span<const graph::Vertex> vertices, std::uint64_t* words,
                       std::int64_t begin, std::int64_t end) {
  for (const graph::Vertex vertex : vertices) {
    const std::int64_t word = vertex / kWordBits;
    if (word >= begin && word < end) words[word] |= BitOf(vertex);
  }
}

}  // namespace bfs
