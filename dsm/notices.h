// Write notices: which pages have changed since the last barrier, and by whom, so that the
// copies of all others stay.
//
// Pure; any thread may call. Source: TreadMarks (Keleher et al., USENIX Winter 1994), there
// for lazy release consistency; here the homes send them at barriers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsm/distribution.h"

namespace dsm {

// Somebody's, or several ranks'.
inline constexpr std::int32_t kManyWriters = -1;

// A value: pages first, ..., last - 1 were changed by `writer`.
struct Notice {
  std::uint64_t first = 0, last = 0;
  std::int64_t writer = kManyWriters;
  friend bool operator==(const Notice&, const Notice&) = default;
};

// The same in few: ascending, no page twice (kManyWriters where two wrote it), neighbors of
// one writer merged.
std::vector<Notice> Merged(std::vector<Notice> notices);

// The pages of `held`, ascending, that somebody else than `self` has changed. `notices`:
// ascending, as Merged gives them.
std::vector<std::uint64_t> ChangedByOthers(std::span<const std::uint64_t> held,
                                           std::span<const Notice> notices, int self);

// Ascending pages as ranges.
std::vector<PageRange> AsRanges(std::span<const std::uint64_t> pages);

}  // namespace dsm
