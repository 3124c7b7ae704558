// Which blocks lie in a device's memory, and which of them makes room for another.
//
// The rule is Belady's, as far as tasks have been submitted: the block goes whose next use is the
// farthest; of those without one, the one that was used longest ago. All blocks of a task are
// pinned before it begins, so that two tasks never take each other's.
//
// Threads: one; DeviceCache guards it by its lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "taskrt/ids.h"

namespace taskrt {

// A value.
class Residents {
 public:
  // In bytes; zero: there is room for all.
  explicit Residents(std::uint64_t capacity = 0) : capacity_(capacity) {}

  bool Has(BlockId block) const { return blocks_.contains(block); }
  std::uint64_t bytes() const { return bytes_; }
  bool IsBounded() const { return capacity_ > 0; }
  bool HasRoomFor(std::uint64_t bytes) const {
    return capacity_ == 0 || bytes_ + bytes <= capacity_;
  }

  // There is no more than that; at least a byte, since zero would be room for all.
  void Limit(std::uint64_t capacity) { capacity_ = std::max<std::uint64_t>(capacity, 1); }

  // Precondition: HasRoomFor.
  void Add(BlockId block, std::uint64_t bytes) {
    blocks_[block] = {.bytes = bytes, .used = ++clock_};
    bytes_ += bytes;
  }
  void Remove(BlockId block) {
    bytes_ -= blocks_.at(block).bytes;
    blocks_.erase(block);
  }

  bool IsPinned(BlockId block) const { return blocks_.at(block).pins > 0; }
  // As often as it was pinned.
  void Pin(BlockId block) { ++blocks_.at(block).pins; }
  void Unpin(BlockId block) {
    Resident& resident = blocks_.at(block);
    --resident.pins;
    resident.used = ++clock_;
  }

  // The block that is to go; none if all are pinned. `next_use(block)`: the SubmitIndex, or kNever.
  template <typename NextUse>
  std::optional<BlockId> Victim(NextUse next_use) const {
    std::optional<BlockId> victim;
    SubmitIndex farthest = 0;
    std::uint64_t oldest = 0;
    for (const auto& [block, resident] : blocks_) {
      if (resident.pins > 0) continue;
      const SubmitIndex next = next_use(block);
      if (victim && (next < farthest || (next == farthest && resident.used > oldest))) continue;
      victim = block;
      farthest = next;
      oldest = resident.used;
    }
    return victim;
  }

 private:
  struct Resident {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;  // by clock_
    int pins = 0;
  };

  std::uint64_t capacity_;
  std::uint64_t bytes_ = 0;
  std::uint64_t clock_ = 0;
  std::unordered_map<BlockId, Resident> blocks_;
};

}  // namespace taskrt
