// Another rank's regions as this rank has them mapped, for operations that are done in place.
//
// Allocated memory lies in chunks, each of which is mapped once, whatever regions come and go in
// it; memory that the owner's program shared by a descriptor has a mapping of its own. Memory that
// is the program's own is mapped nowhere else.
//
// A request is compared with the owner's table, which the owner changes at any time: before it is
// done, so that it has no effect on a region that is gone, and once more after it, as what was
// read is garbage if the region went meanwhile. A request that changes memory has a mark meanwhile
// (marks.h).
//
// Threads: Add, AddChunk and Close by one at a time; the rest by any.
// Order: what came before Add or AddChunk happens before what follows a Find of that memory.
// Progress: wait-free.
#pragma once

#include <array>
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
  // Addresses have the chunk above the offset in it. Addresses of shared descriptors have the first
  // number that is no chunk's, and those of the program's own memory the next, above the address.
  static constexpr int kOffsetBits = 48;  // as many as processors have addresses
  static constexpr std::uint64_t kChunks = 4096;
  static constexpr std::uint64_t ChunkOf(std::uint64_t address) { return address >> kOffsetBits; }
  static constexpr std::uint64_t StartOf(std::uint64_t chunk) { return chunk << kOffsetBits; }
  static constexpr std::uint64_t kStartOfShared = kChunks << kOffsetBits;
  static constexpr std::uint64_t kStartOfOwn = (kChunks + 1) << kOffsetBits;
  static constexpr bool IsOwn(std::uint64_t address) { return address >= kStartOfOwn; }

  MappedRegions() : shared_(RegionTable::kSlots) {
    for (std::atomic<const Shared*>& shared : shared_) {
      shared.store(&kNone, std::memory_order_relaxed);
    }
  }
  MappedRegions(const MappedRegions&) = delete;
  MappedRegions& operator=(const MappedRegions&) = delete;

  // The owner's table, which lives as long as this. Before all else.
  void Open(const RegionTable& table) { table_ = &table; }
  // The chunk is mapped at `memory`, which stays mapped as long as this lives, as a thread may be
  // using it.
  void AddChunk(std::uint64_t chunk, std::byte* memory) {
    chunks_[chunk].store(ZeroOf(StartOf(chunk), memory), std::memory_order_release);
  }
  // As AddChunk, the file of the region's descriptor.
  void Add(RegionId id, std::byte* memory) {
    all_shared_.push_back({id.generation, ZeroOf(kStartOfShared, memory)});
    shared_[id.slot].store(&all_shared_.back(), std::memory_order_release);
  }
  // From here on Find finds nothing for a request: the owner is gone.
  void Close() { is_closed_.store(true, std::memory_order_release); }
  bool is_closed() const { return is_closed_.load(std::memory_order_acquire); }

  // Where the address of the region is mapped; null where it is not. Precondition: the owner's
  // table has had the region, with that address in it.
  std::byte* At(RegionId id, std::uint64_t address) const {
    const std::uint64_t chunk = ChunkOf(address);
    const std::uintptr_t zero =
        chunk < kChunks ? chunks_[chunk].load(std::memory_order_acquire) : ZeroOfShared(id);
    return zero == kNowhere ? nullptr : reinterpret_cast<std::byte*>(zero + address);
  }

  // A value. `memory` is null where nothing is found.
  struct Found {
    std::byte* memory = nullptr;
    const RegionTable::Entry* entry = nullptr;
  };
  // `bytes` at `there`, where they are mapped, the owner lives and has exactly this region, and
  // they lie in it. Inline, as each request in place is little more than this.
  [[gnu::always_inline]] Found Find(const RemoteAddress& there, std::uint64_t bytes) const {
    const RemoteRegion& region = there.region;
    if (is_closed() || region.id.slot >= RegionTable::kSlots) return {};
    const RegionTable::Entry& entry = table_->entry(region.id.slot);
    if (!entry.Is(region, 0) || !Fits(there.offset, bytes, region.bytes)) return {};
    return {At(region.id, region.start + there.offset), &entry};
  }

  // Is the region still there, after the caller read or changed its memory? Precondition: the
  // entry is of its slot.
  static bool StillHas(const RegionTable::Entry& entry, RegionId id) {
    // x86-64 keeps the order of loads: a fence for the compiler is enough (and ThreadSanitizer
    // does not support thread fences).
#if defined(__x86_64__)
    std::atomic_signal_fence(std::memory_order_acquire);
#else
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    return entry.generation.load(std::memory_order_acquire) == id.generation;
  }

 private:
  // Where the address zero would be mapped, so that an address needs one addition.
  static constexpr std::uintptr_t kNowhere = 0;
  static std::uintptr_t ZeroOf(std::uint64_t start, std::byte* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) - start;
  }
  // A value.
  struct Shared {
    std::uint32_t generation;
    std::uintptr_t zero;
  };
  static constexpr Shared kNone = {0, kNowhere};  // Regions that exist have odd generations.

  std::uintptr_t ZeroOfShared(RegionId id) const {
    const Shared& shared = *shared_[id.slot].load(std::memory_order_acquire);
    return shared.generation == id.generation ? shared.zero : kNowhere;
  }

  const RegionTable* table_ = nullptr;
  std::atomic<bool> is_closed_{false};
  std::array<std::atomic<std::uintptr_t>, kChunks> chunks_{};
  std::vector<std::atomic<const Shared*>> shared_;  // by slot; those replaced stay in all_shared_
  std::deque<Shared> all_shared_;
};

}  // namespace llcl
