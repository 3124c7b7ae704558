// The shared memory of a rank, as other ranks of the machine map it, and this rank's state
// for each other rank.
#pragma once

#include <atomic>
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
#include "llcl/smp/mailbox.h"
#include "llcl/smp/memory_file.h"
#include "topo/atomic.h"

namespace llcl {

// A rank's own shared memory, which the other ranks of its host map at the beginning. A lane for
// each of them follows it, by position (neighbors.h).
struct SmpBasics {
  using Lane = BasicLane<topo::Atomic, 64 * 1024>;

  RegionTable regions;
  Marks marks;  // of its threads
  // Not zero: its process takes part in memory barriers (memory_barrier.h). Before the ranks meet.
  std::uint32_t joins_barriers;
  MemoryProof own_memory;  // Before the ranks meet.
  BasicSleepWord<topo::Atomic> sleep;

  Lane& lane(std::size_t from) { return reinterpret_cast<Lane*>(this + 1)[from]; }
  static std::uint64_t BytesFor(std::size_t ranks) {
    return sizeof(SmpBasics) + ranks * sizeof(Lane);
  }
};
static_assert(sizeof(SmpBasics) % alignof(SmpBasics::Lane) == 0);

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
