// The regions of a rank that others access by shared memory: their entries in the rank's table, and
// the descriptors and mappings that keep their memory.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "llcl/conduit.h"
#include "llcl/launch/siphash.h"
#include "llcl/owned_fd.h"
#include "llcl/region/region_table.h"
#include "llcl/shared_memory.h"
#include "llcl/smp/door.h"
#include "topo/mutex.h"

namespace llcl {

// A resource. `table`, which other ranks read, and `door`, at which regions are offered, outlive
// it.
class SmpRegions {
 public:
  // `seed`: keys are made from it; no other process knows it.
  SmpRegions(Rank owner, RegionTable& table, SmpDoor& door, SipKey seed)
      : owner_(owner), table_(table), door_(door), seed_(seed) {}
  SmpRegions(const SmpRegions&) = delete;
  SmpRegions& operator=(const SmpRegions&) = delete;

  // As Conduit's.
  absl::StatusOr<Conduit::Registered> Register(std::span<std::byte> memory);
  absl::StatusOr<Conduit::Registered> Allocate(std::uint64_t bytes);
  absl::StatusOr<Conduit::Registered> RegisterShared(int fd, std::uint64_t offset,
                                                     std::uint64_t bytes);
  void Deregister(RegionId id);

  const RegionTable& table() const { return table_; }

 private:
  struct Shared {
    OwnedFd fd;
    Mapped memory;
    bool is_allocated = false;  // by Allocate; else the descriptor is the program's
  };
  std::uint64_t NewKey() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Rank owner_;
  RegionTable& table_;
  SmpDoor& door_;
  const SipKey seed_;
  topo::Mutex mutex_;
  std::uint64_t keys_made_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::uint32_t, Shared> shared_ ABSL_GUARDED_BY(mutex_);  // by slot
};

}  // namespace llcl
