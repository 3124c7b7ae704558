// Joins two ends of paths in many states at once, without branches. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/rule.h"

namespace simpath {

// A value: a vertex that is decided on, in the bits of mates. Flags are 0 or 1.
struct Joint {
  unsigned bit = 0;
  std::uint64_t slot = 0;    // as a mate
  std::uint64_t leaves = 0;  // the frontier
  // What it is without an edge, now and before: inner, for it has only one to come; in need of the
  // edge, for the same reason; or lost, for it has none to come.
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

// A value: states of which the same is asked, in columns.
template <int words>
struct Columns {
  static constexpr std::size_t kMost = 64;

  std::size_t size = 0;
  std::array<std::uint32_t, kMost> number;
  MatesColumn<words, kMost> mates;        // the state
  MatesColumn<words, kMost> without;      // where no edge is taken
  std::array<std::uint64_t, kMost> must;  // joints that must take an edge
  MatesColumn<words, kMost> joined;
  std::array<std::uint64_t, kMost> goes_on;  // 1 where `joined` is a state
  std::array<std::uint64_t, kMost> closes;   // 1 where the path closes
};

// Fills `without` and `must`, which is more than two where no choice is right.
template <int words>
void LeaveOut(const Layout& layout, std::span<const Joint> joints, Columns<words>& columns);

// Fills `joined`, `goes_on` and `closes`: an edge is taken at `a` and one at `b`, which make one of
// the two paths that end there, or begin one. `stays` has the bits of all slots that no vertex
// leaves. What closes is a path from outside to outside or a cycle, as is asked.
template <int words>
void Join(const Layout& layout, Shape closes, const Joint& a, const Joint& b,
          const Mates<words>& stays, Columns<words>& columns);

}  // namespace simpath
