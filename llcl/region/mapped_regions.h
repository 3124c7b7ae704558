// Another rank's regions as this rank has them mapped, for operations that are done in place.
//
// A request is compared with the owner's table, which the owner changes at any time: before it is
// done, so that it has no effect on a region that is gone, and once more after it, as what was
// read is garbage if the region went meanwhile.
//
// Threads: Add and Close by one at a time; the rest by any.
// Order: what came before Add happens before what follows a Find of that region.
// Progress: wait-free.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "llcl/region.h"
#include "llcl/region/region_table.h"

namespace llcl {

// A resource.
class MappedRegions {
 public:
  MappedRegions() : views_(RegionTable::kSlots) {
    for (std::atomic<const View*>& view : views_) view.store(&kNone, std::memory_order_relaxed);
  }
  MappedRegions(const MappedRegions&) = delete;
  MappedRegions& operator=(const MappedRegions&) = delete;

  // The owner's table, which lives as long as this. Before all else.
  void Open(const RegionTable& table) { table_ = &table; }
  // The region is mapped: addresses in it count from `memory`, which stays mapped as long as this
  // lives, as a thread may be using it.
  void Add(RegionId id, std::byte* memory) {
    all_.push_back({id.generation, memory});
    views_[id.slot].store(&all_.back(), std::memory_order_release);
  }
  // From here on Find finds nothing for a request: the owner is gone.
  void Close() { is_closed_.store(true, std::memory_order_release); }
  bool is_closed() const { return is_closed_.load(std::memory_order_acquire); }

  // What addresses in the region count from; null where it is not mapped. Precondition: the id is
  // of the table.
  std::byte* Find(RegionId id) const {
    const View& view = *views_[id.slot].load(std::memory_order_acquire);
    return view.generation == id.generation ? view.memory : nullptr;
  }
  // `bytes` at `there`, where the region is mapped, the owner lives and has exactly this region,
  // and they lie in it; else null.
  std::byte* Find(const RemoteAddress& there, std::uint64_t bytes) const {
    const RemoteRegion& region = there.region;
    if (is_closed() || !table_->Has(region, 0)) return nullptr;
    if (!Fits(there.offset, bytes, region.bytes)) return nullptr;
    std::byte* const memory = Find(region.id);
    return memory == nullptr ? nullptr : memory + region.start + there.offset;
  }

  // Does the owner have the region still, after what the caller did to its memory? Precondition:
  // Find has found it.
  bool StillHas(RegionId id) const {
    // x86-64 keeps the order of loads: a fence for the compiler is enough (and ThreadSanitizer
    // does not support thread fences).
#if defined(__x86_64__)
    std::atomic_signal_fence(std::memory_order_acquire);
#else
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    return table_->entry(id.slot).generation.load(std::memory_order_acquire) == id.generation;
  }

 private:
  // A value.
  struct View {
    std::uint32_t generation;
    std::byte* memory;
  };
  static constexpr View kNone = {0, nullptr};  // Regions that exist have odd generations.

  const RegionTable* table_ = nullptr;
  std::atomic<bool> is_closed_{false};
  std::vector<std::atomic<const View*>> views_;  // by slot; those replaced stay in all_
  std::deque<View> all_;
};

}  // namespace llcl
