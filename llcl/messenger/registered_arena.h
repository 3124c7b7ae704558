// An arena in memory that other ranks may read, allocated when it is first used.
//
// Threads: any, all members.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "llcl/conduit/registration.h"
#include "llcl/messenger/arena.h"
#include "llcl/messenger/bulk.h"
#include "topo/mutex.h"

namespace llcl {

// A resource. `bulk` outlives it.
class RegisteredArena {
 public:
  RegisteredArena(Bulk& bulk, std::uint64_t bytes) : bulk_(bulk), bytes_(bytes), arena_(bytes) {}
  RegisteredArena(const RegisteredArena&) = delete;
  RegisteredArena& operator=(const RegisteredArena&) = delete;

  enum class Room { kTaken, kFull, kNoMemory };
  // kFull: later, perhaps. kNoMemory: this rank cannot allocate the arena.
  [[nodiscard]] Room TryTake(std::uint64_t bytes, std::uint64_t& at) {
    const topo::Lock lock(mutex_);
    if (!region_) {
      absl::StatusOr<Region> region = bulk_.Allocate(bytes_);
      if (!region.ok()) return Room::kNoMemory;
      region_ = *std::move(region);
    }
    const std::optional<std::uint64_t> taken = arena_.TryTake(bytes);
    if (!taken) return Room::kFull;
    at = *taken;
    return Room::kTaken;
  }
  void Free(std::uint64_t at) {
    const topo::Lock lock(mutex_);
    arena_.Free(at);
  }

  // Precondition: some of it is taken.
  LocalRegion local() const {
    const topo::Lock lock(mutex_);
    return region_->local();
  }
  RemoteRegion remote() const {
    const topo::Lock lock(mutex_);
    return region_->remote();
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  Bulk& bulk_;
  const std::uint64_t bytes_;
  mutable topo::Mutex mutex_;  // held while the region is allocated
  std::optional<Region> region_ ABSL_GUARDED_BY(mutex_);
  Arena arena_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace llcl
