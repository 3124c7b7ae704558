// Mutual exclusion of threads of all ranks; who locks sees what was written under the lock
// before.
//
//   auto mutex = dsm::Mutex::Make(space, 0);              // all ranks
//   if (absl::Status locked = mutex->Lock(); !locked.ok()) ...
//   ...
//   if (absl::Status unlocked = mutex->Unlock(); !unlocked.ok()) ...
//
// A lock drops the rank's copies and an unlock sends its changes home, whatever they are of:
// locks that are taken often are for little data (or for atomics, Space::Atomic).
//
// Threads: any, all members; one that holds it unlocks it.
// Progress: who waits asks again and again, less often the longer it lasts; no order is
//   promised among those who wait. Where the rank that holds it is gone, Lock says so.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "dsm/space.h"

namespace dsm {

// A value: a word in the space, which outlives it.
class Mutex {
 public:
  // New, unlocked, its word at home on `home`. All ranks call it. Errors: those of
  // Space::Allocate.
  static absl::StatusOr<Mutex> Make(Space& space, int home);

  // Errors: Unavailable where a rank is gone that holds it, or its home.
  absl::Status Lock();
  absl::Status Unlock();

 private:
  Mutex(Space& space, std::uint64_t* word) : space_(&space), word_(word) {}

  Space* space_;
  std::uint64_t* word_;  // 0, or one more than the rank that holds it
};

}  // namespace dsm
