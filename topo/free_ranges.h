// The free ranges of an address space, by address: neighbors become one range, and a request gets
// the lowest range that it fits in, so that the use of addresses stays together.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "topo/language.h"

namespace topo {

// A value: the addresses from `begin` on, `end` not among them.
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t bytes() const { return end - begin; }
  friend bool operator==(AddressRange, AddressRange) = default;
};

// A value. It begins without a free range.
class FreeRanges {
 public:
  // The range is free from here on. Precondition: no address of the range is free.
  void Give(AddressRange range) {
    if (range.bytes() == 0) return;
    auto after = free_.lower_bound(range.begin);
    if (after != free_.begin()) {
      const auto before = std::prev(after);
      if (before->second == range.begin) {
        range.begin = before->first;
        free_.erase(before);
      }
    }
    if (after != free_.end() && after->first == range.end) {
      range.end = after->second;
      after = free_.erase(after);
    }
    free_.emplace_hint(after, range.begin, range.end);
  }

  // Takes so many addresses, at least one; nothing where no free range is so large.
  std::optional<AddressRange> TryTake(std::uint64_t bytes) {
    for (auto range = free_.begin(); range != free_.end(); ++range) {
      const auto [begin, end] = *range;
      if (end - begin < bytes) continue;
      const auto after = free_.erase(range);
      if (end - begin > bytes) free_.emplace_hint(after, begin + bytes, end);
      return AddressRange{begin, begin + bytes};
    }
    return std::nullopt;
  }

  std::size_t size() const { return free_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  // where each range begins, and ends
};

}  // namespace topo
