// The regions of a rank that others access by shared memory: their entries in the rank's table, and
// their memory: ranges of the rank's arena, mappings of what the program shares by a descriptor,
// and the program's own memory.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/launch/siphash.h"
#include "llcl/owned_fd.h"
#include "llcl/region/region_table.h"
#include "llcl/shared_memory.h"
#include "llcl/smp/arena.h"
#include "llcl/smp/device.h"
#include "llcl/smp/door.h"
#include "llcl/smp/memory_barrier.h"
#include "topo/free_ranges.h"
#include "topo/mutex.h"

namespace llcl {

// A resource. `table`, which other ranks read, `door`, at which memory is offered, and `device`
// outlive it.
class SmpRegions {
 public:
  // `seed`: keys are made from it; no other process knows it.
  SmpRegions(Rank owner, RegionTable& table, SmpDoor& door, SipKey seed, const SmpDevice& device)
      : owner_(owner),
        table_(table),
        door_(door),
        seed_(seed),
        device_(device),
        arena_(
            door, [&device] { return device.Marked(); },
            [&device] { return device.HaveBarriers() && TryMemoryBarrier(); }) {}
  SmpRegions(const SmpRegions&) = delete;
  SmpRegions& operator=(const SmpRegions&) = delete;

  // As Conduit's.
  absl::StatusOr<Conduit::Registered> Register(std::span<std::byte> memory);
  absl::StatusOr<Conduit::Registered> Allocate(std::uint64_t bytes);
  absl::StatusOr<Conduit::Registered> RegisterShared(int fd, std::uint64_t offset,
                                                     std::uint64_t bytes);
  // Of memory that the network may still use, the place stays taken as long as the conduit lives.
  // Memory of Register is not changed by other ranks when it returns: it waits for their writes
  // and for copies of messages to and from it that are under way, but for nothing else.
  void Deregister(RegionId id, Conduit::Mapping mapping);
  bool WithRegion(RegionId id, Conduit::OnRegion f);

  const RegionTable& table() const { return table_; }

 private:
  struct Entry {
    std::span<std::byte> memory;
    std::uint64_t start = 0;   // the conduit's address of its first byte
    std::uint64_t key = 0;     // by which marks name it: not zero
    topo::AddressRange range;  // of Allocate
    OwnedFd fd = OwnedFd();    // of RegisterShared, and so the mapping
    Mapped mapped;
  };
  // Others may use the region from here on.
  absl::StatusOr<Conduit::Registered> Add(Entry entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Rank owner_;
  RegionTable& table_;
  SmpDoor& door_;
  const SipKey seed_;
  const SmpDevice& device_;
  topo::Mutex mutex_;
  std::uint64_t keys_made_ ABSL_GUARDED_BY(mutex_) = 0;
  SmpArena arena_ ABSL_GUARDED_BY(mutex_);
  std::map<std::uint32_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);  // by slot
  std::vector<Mapped> kept_ ABSL_GUARDED_BY(mutex_);                // of regions that are gone
};

}  // namespace llcl
