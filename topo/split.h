// Which thread works on which indices: the arithmetic of the paper's figure 6.
//
// `Split` cuts [0, total) into parts that differ by at most one element;
// `SplitByWeight` into parts of about the same weight, where elements differ.
// `ShareOf` applies it to one contiguous index range whose threads are ordered
// node by node, so that each NUMA node owns one contiguous piece.
//
// Pure; any thread may call. Source: [ULIBC14] figure 6.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "topo/mapping.h"

namespace topo {

// A value. Indices begin, begin + 1, ..., end - 1.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  constexpr std::int64_t size() const { return end - begin; }
  constexpr bool empty() const { return begin == end; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Part `index` of `parts` of [0, total). The first total % parts parts have one
// element more. total >= 0, parts >= 1, 0 <= index < parts.
constexpr Range Split(std::int64_t total, std::int64_t parts, std::int64_t index) {
  const std::int64_t quotient = total / parts;
  const std::int64_t remainder = total % parts;
  return {quotient * index + std::min(remainder, index),
          quotient * (index + 1) + std::min(remainder, index + 1)};
}

// Part `index` of `parts` of elements that weigh different amounts, as vertices with
// their edges do. prefix[i] is what the elements before i weigh: ascending from 0, one
// entry more than elements. Each part begins at a multiple of `align` (words of bitmaps),
// the one whose prefix is nearest to the part's share of the whole weight, so it is off by at most
// half of what `align` elements weigh; a part may be empty. Where nothing weighs
// anything the elements are cut by number. prefix.size() >= 1, parts >= 1,
// 0 <= index < parts, align >= 1. Takes O(log elements).
constexpr Range SplitByWeight(std::span<const std::int64_t> prefix, std::int64_t parts,
                              std::int64_t index, std::int64_t align = 1) {
  const auto elements = static_cast<std::int64_t>(prefix.size()) - 1;
  const std::int64_t blocks = (elements + align - 1) / align;
  const auto weight = [&](std::int64_t block) {  // of all elements before that block
    return prefix[static_cast<std::size_t>(std::min(block * align, elements))];
  };
  const auto begin_of = [&](std::int64_t part) {
    if (part == 0) return std::int64_t{0};
    if (part == parts) return elements;
    const std::int64_t whole = weight(blocks);
    if (whole == 0) return std::min(Split(blocks, parts, part).begin * align, elements);
    const std::int64_t share = whole / parts * part + whole % parts * part / parts;
    std::int64_t low = 0, high = blocks;  // The first block before which that share lies.
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (weight(middle) < share) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > 0 && share - weight(low - 1) <= weight(low) - share) --low;
    return std::min(low * align, elements);
  };
  return {begin_of(index), begin_of(index + 1)};
}

// The part of [0, total) of the threads on mapping.nodes()[node_index]: nodes
// get shares in proportion to their threads.
inline Range ShareOfNode(std::int64_t total, const Mapping& mapping, int node_index) {
  int before = 0;
  for (int i = 0; i < node_index; ++i) before += mapping.threads_on(i);
  const int last = before + mapping.threads_on(node_index) - 1;
  return {Split(total, mapping.size(), before).begin, Split(total, mapping.size(), last).end};
}

// The part of [0, total) of one thread: its piece of its node's share.
inline Range ShareOf(std::int64_t total, const Mapping& mapping, const Slot& slot) {
  int before = 0;
  for (int i = 0; i < mapping.node_index(slot); ++i) before += mapping.threads_on(i);
  return Split(total, mapping.size(), before + slot.ordinal);
}

}  // namespace topo
