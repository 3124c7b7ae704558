// Which thread works on which indices: the arithmetic of the paper's figure 6.
//
// `Split` cuts [0, total) into parts that differ by at most one element.
// `ShareOf` applies it to one contiguous index range whose threads are ordered
// node by node, so that each NUMA node owns one contiguous piece.
//
// Pure; any thread may call. Source: [ULIBC14] figure 6.
#pragma once

#include <algorithm>
#include <cstdint>

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
