// The table in which a rank tells the others which of its regions exist: in memory that
// the others map, or read by the network.
//
// Threads: the owner's Add and Remove one at a time; Exists by any, of any process.
// Order: who sees that a region does not exist any more may still be in an operation
//   that began before; the memory stays mapped where it is used.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "llcl/region.h"

namespace llcl {

// A value in shared memory, which begins as zeros.
class RegionTable {
 public:
  static constexpr std::uint32_t kSlots = 4096;

  // A region of its own; generation 0: the table is full.
  RegionId Add() {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      const std::uint32_t generation = generations_[slot].load(std::memory_order_relaxed);
      // Odd: it is there. So no generation that was is there again for a long time.
      if (generation % 2 != 0) continue;
      generations_[slot].store(generation + 1, std::memory_order_release);
      return {slot, generation + 1};
    }
    return {};
  }
  void Remove(RegionId id) {
    generations_[id.slot].store(id.generation + 1, std::memory_order_release);
  }
  bool Exists(RegionId id) const {
    return id.slot < kSlots && id.generation % 2 != 0 &&
           generations_[id.slot].load(std::memory_order_acquire) == id.generation;
  }

 private:
  std::array<std::atomic<std::uint32_t>, kSlots> generations_{};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace llcl
