// Joins two ends of paths in many states at once, without branches. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/problem/rule.h"

namespace simpath {

// A value: a vertex of the decided stage, in the bits of mates. Flags are 0 or 1.
struct Joint {
  unsigned bit = 0;
  std::uint64_t slot = 0;    // as a mate
  std::uint64_t leaves = 0;  // the frontier
  // An untouched vertex without an edge in this stage is like an inner vertex (one edge is left,
  // and vertices may stay unvisited), needs an edge now (one edge is left, and all vertices are
  // visited), or is lost (no edge is left, and all vertices are visited).
  std::uint64_t is_inner = 0, needs_edge = 0, is_lost = 0;
};

// A value: mates of many states, by word.
template <int words, std::size_t most>
struct MatesColumn {
  alignas(64) std::array<std::array<std::uint64_t, most>, words> word;

  Mates<words> Get(std::size_t i) const {
    Mates<words> mates;
    for (std::size_t at = 0; at < words; ++at) mates.word[at] = word[at][i];
    return mates;
  }
  void Set(std::size_t i, const Mates<words>& mates) {
    for (std::size_t at = 0; at < words; ++at) word[at][i] = mates.word[at];
  }
};

// A value: many states, in columns.
template <int words>
struct Columns {
  static constexpr std::size_t kMost = 64;

  std::size_t size = 0;
  std::array<std::uint32_t, kMost> number;
  MatesColumn<words, kMost> mates;        // before
  MatesColumn<words, kMost> without;      // after, without edges
  std::array<std::uint64_t, kMost> must;  // number of joints in need of an edge
  MatesColumn<words, kMost> joined;
  std::array<std::uint64_t, kMost> goes_on;  // 1: `joined` is a state
  std::array<std::uint64_t, kMost> closes;   // 1: the path or cycle closes
};

// Fills `without` and `must`; `must` is greater than two if no choice is right.
template <int words>
void LeaveOut(const Layout& layout, std::span<const Joint> joints, Columns<words>& columns);

// Fills `joined`, `goes_on` and `closes`: an edge at `a` and an edge at `b` join the two paths
// there. `stays` has the bits of slots without a leaving vertex. `shape` says whether paths from
// outside to outside close, or cycles.
template <int words>
void Join(const Layout& layout, Shape shape, const Joint& a, const Joint& b,
          const Mates<words>& stays, Columns<words>& columns);

}  // namespace simpath
