// The table in which a rank publishes which of its regions exist, with a description of each:
// in memory that the others map, or read by the network. A rank that reads it keeps a table of
// the entries that it has read, so that it reads none twice.
//
// A request names a region by a RemoteRegion, a plain value that may have been changed on
// its way. It is not trusted before it matches this table: so no wrong key gets to a network
// that takes connections down for one.
//
// Threads: the owner's Add, Publish and Remove, one at a time; Learn one at a time, Forget by any
//   (a region that both get at once may be known afterwards or not); Exists and Has by any,
//   of any process.
// Order: a thread that sees that a region does not exist any more may still be in an
//   operation that began before; the memory stays mapped where it is used. Writes to the table
//   before a region was given out happen before Has of that region.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "llcl/region.h"

namespace llcl {

// A value in shared memory, which begins as zeros.
class RegionTable {
 public:
  static constexpr std::uint32_t kSlots = 4096;

  // The contents of a slot. A value in shared memory, also as another rank reads it.
  struct Entry {
    std::atomic<std::uint32_t> generation{0};  // even: the slot is empty
    std::atomic<std::uint32_t> misalignment{0};
    std::atomic<std::uint64_t> start{0}, bytes{0};
    std::array<std::atomic<std::uint64_t>, kMostDevices> keys{};
    // Not zero: another rank has written to the region by itself, though the memory is not mapped
    // there (Conduit::Register). Not of the description.
    std::atomic<std::uint64_t> writes{0};

    // Is it this region? The key is compared for that device.
    bool Is(const RemoteRegion& region, std::size_t device) const {
      const std::uint32_t found = generation.load(std::memory_order_acquire);
      // One branch for all: each request comes here.
      const std::uint64_t differs =
          (found ^ region.id.generation) | (~found & 1) |
          (misalignment.load(std::memory_order_relaxed) ^ region.misalignment) |
          (start.load(std::memory_order_relaxed) ^ region.start) |
          (bytes.load(std::memory_order_relaxed) ^ region.bytes) |
          (keys[device].load(std::memory_order_relaxed) ^ region.keys[device]);
      return differs == 0;
    }
    void Set(const RemoteRegion& region) {
      // Empty while it changes.
      generation.store(region.id.generation & ~1u, std::memory_order_release);
      misalignment.store(region.misalignment, std::memory_order_relaxed);
      start.store(region.start, std::memory_order_relaxed);
      bytes.store(region.bytes, std::memory_order_relaxed);
      for (std::size_t i = 0; i < kMostDevices; ++i) {
        keys[i].store(region.keys[i], std::memory_order_relaxed);
      }
      generation.store(region.id.generation, std::memory_order_release);
    }
  };

  // A slot for a region of the owner's; generation 0: the table is full.
  RegionId Add() {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      const std::uint32_t generation = entries_[slot].generation.load(std::memory_order_relaxed);
      // Odd: the slot is in use. Generations grow, so that none comes again for a long time.
      if (generation % 2 != 0) continue;
      entries_[slot].generation.store(generation + 1, std::memory_order_release);
      return {slot, generation + 1};
    }
    return {};
  }
  // From here on others may use the region; its id is Add's.
  void Publish(const RemoteRegion& region) { entries_[region.id.slot].Set(region); }
  void Remove(RegionId id) {
    Entry& entry = entries_[id.slot];
    entry.generation.store(id.generation + 1, std::memory_order_release);
    entry.misalignment.store(0, std::memory_order_relaxed);
    entry.start.store(0, std::memory_order_relaxed);
    entry.bytes.store(0, std::memory_order_relaxed);
    // The keys stay: a thread that looks right now finds the region's, with which it has set its
    // mark, and no zero, with which nothing is marked.
  }
  bool Exists(RegionId id) const {
    if (id.slot >= kSlots) return false;
    const std::uint32_t found = entries_[id.slot].generation.load(std::memory_order_acquire);
    return ((found ^ id.generation) | (~found & 1)) == 0;
  }

  // By a rank that is about to write, before its mark (marks.h) and its look at the table; then the
  // owner either knows of the write, or the writer sees that the region is gone.
  void NoteWrites(std::uint32_t slot) {
    std::atomic<std::uint64_t>& writes = entries_[slot].writes;
    if (writes.load(std::memory_order_relaxed) == 0) writes.exchange(1, std::memory_order_seq_cst);
  }
  // By the owner, after Remove: may there be writers?
  bool TakeWrites(std::uint32_t slot) {
    return entries_[slot].writes.exchange(0, std::memory_order_seq_cst) != 0;
  }

  // Is there exactly this region, for that device?
  bool Has(const RemoteRegion& region, std::size_t device) const {
    return region.id.slot < kSlots && entries_[region.id.slot].Is(region, device);
  }

  // In a copy of another rank's table: the region was seen there; it is no longer there.
  void Learn(const RemoteRegion& region) { Publish(region); }
  void Forget(RegionId id) {
    if (Exists(id)) entries_[id.slot].generation.store(0, std::memory_order_release);
  }

  // Precondition: slot < kSlots.
  const Entry& entry(std::uint32_t slot) const { return entries_[slot]; }

  // Where the entry of a slot is in a table.
  static constexpr std::uint64_t OffsetOf(std::uint32_t slot) { return slot * sizeof(Entry); }

 private:
  std::array<Entry, kSlots> entries_{};
};
static_assert(sizeof(RegionTable::Entry) == 64);  // A power of two finds an entry by a shift.
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Tables for so many ranks, of which only the used parts take memory. A resource.
class RegionTables {
 public:
  RegionTables() = default;
  explicit RegionTables(int ranks)
      : tables_(static_cast<RegionTable*>(
            std::calloc(static_cast<std::size_t>(ranks), sizeof(RegionTable)))) {
    if (tables_ == nullptr && ranks > 0) throw std::bad_alloc();
  }
  RegionTable& of(Rank rank) const { return tables_.get()[ToInt(rank)]; }

 private:
  struct Free {
    void operator()(RegionTable* tables) const { std::free(tables); }
  };
  std::unique_ptr<RegionTable, Free> tables_;
};

}  // namespace llcl
