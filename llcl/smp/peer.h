// The shared memory of a rank, as other ranks of the machine map it, and this rank's state
// for each other rank.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llcl/executor/command.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/region/mapped_regions.h"
#include "llcl/region/marks.h"
#include "llcl/region/region_table.h"
#include "llcl/shared_memory.h"
#include "llcl/smp/channel.h"
#include "llcl/smp/mailbox.h"
#include "llcl/smp/memory_file.h"
#include "topo/atomic.h"

namespace llcl {

// A rank's own shared memory, which the other ranks of its host map at the beginning. A lane for
// each of them follows it, by position (neighbors.h), and then a channel for each.
struct SmpBasics {
  using Lane = BasicLane<topo::Atomic, 64 * 1024>;
  using Channel = BasicChannel<topo::Atomic, 256>;

  RegionTable regions;
  Marks marks;  // of its threads
  // Not zero: its process takes part in memory barriers (memory_barrier.h). Before the ranks meet.
  std::uint32_t joins_barriers;
  MemoryProof own_memory;  // Before the ranks meet.
  BasicSleepWord<topo::Atomic> sleep;

  Lane& lane(std::size_t from) { return reinterpret_cast<Lane*>(this + 1)[from]; }
  // `ranks`: of the host.
  Channel& channel(std::size_t from, std::size_t ranks) {
    auto* const channels = reinterpret_cast<std::byte*>(&lane(ranks));
    return *reinterpret_cast<Channel*>(channels + from * Channel::BytesFor(RoomFor(ranks)));
  }
  // Of the payloads in a channel. A room of more than the cache of a processor is twice as fast as
  // a smaller one: its lines are read from the cache that processors share, not from the one of the
  // processor that has just written them (measured with 64 KiB to 8 MiB).
  static constexpr std::uint64_t RoomFor(std::size_t ranks) {
    constexpr std::uint64_t kOfAll = 16 << 20, kLeast = 128 << 10, kMost = 2 << 20;
    return std::clamp(kOfAll / std::bit_ceil(std::uint64_t{ranks}), kLeast, kMost);
  }
  static constexpr std::uint64_t BytesFor(std::size_t ranks) {
    return sizeof(SmpBasics) + ranks * (sizeof(Lane) + Channel::BytesFor(RoomFor(ranks)));
  }
};
static_assert(sizeof(SmpBasics) % alignof(SmpBasics::Lane) == 0);
static_assert(sizeof(SmpBasics::Lane) % alignof(SmpBasics::Channel) == 0);

// Another rank, as this rank knows it.
struct SmpPeer {
  std::string address;
  OwnedFd end;             // ready once its process has ended
  bool has_ended = false;  // its process, but its last messages may lie in its lane
  OwnedFd doorbell;
  OwnedFd memory_file;  // of its program's own memory; none where that is not allowed
  Mapped memory;
  SmpBasics* basics = nullptr;
  MappedRegions mapped;  // closed once the rank is gone
  bool is_mute = false;  // it sent nonsense: its lane is no longer read; under the executor's lock
  // Under the executor's lock: messages that its lane had no room for, and operations on
  // memory that is not mapped yet.
  struct Unmapped {
    std::vector<Command> commands;
    // Since when there has been no room for it here.
    std::optional<std::chrono::steady_clock::time_point> without_room;
  };
  std::deque<Command> waiting;
  std::map<std::uint64_t, Unmapped> unmapped;  // by the number at its door
};

}  // namespace llcl
