// Mutual exclusion of threads of all ranks; a thread that locks a mutex sees what was written under
// it before.
//
//   auto mutex = dsm::Mutex::Make(space, 0);              // all ranks
//   const absl::StatusOr<dsm::Locked> locked = mutex->Lock();
//   if (!locked.ok()) ...
//   if (locked->left_inconsistent_by >= 0) ...            // what it protects may be half done
//   ...
//   if (absl::Status unlocked = mutex->Unlock(); !unlocked.ok()) ...
//
// Ranks take turns. At the beginning of a turn the rank's copies are dropped, and at its end its
// changes are sent home, whatever they are of; with `protects` only those of that memory (entry
// consistency): what else was written under the lock is seen after a barrier. A turn serves
// threads of the rank as long as one waits, 64 of them or for a millisecond, whichever is more
// (lock/cohort.h), and costs messages; a lock within it costs none.
//
// A mutex takes no memory of the space. Its home gives the turns, first come, first served
// (lock_queue.h), and a thread is passed by a bounded number of others of its rank, so a thread
// that locks again and again starves no other.
//
// Where the rank that holds it is gone, the next that locks it gets it and learns so, by
// Locked::left_inconsistent_by, as by EOWNERDEAD of a robust mutex of POSIX: changes that the dead
// had not sent home are lost. The same where a rank unlocks and its changes do not all get home. A
// rank that ends just after its Unlock may be named, too: its end may be noticed before its message
// is read.
//
// Threads: any, all members; a thread of the rank that holds it unlocks it. A thread that locks a
// mutex again that it holds waits for ever.
// Progress: a thread that waits sleeps, or lets others run (SpaceOptions::waiter).
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/lock/locks.h"
#include "dsm/space.h"

namespace dsm {

// A value; the space outlives it.
class Mutex {
 public:
  // New, unlocked, its queue on rank `home`. All ranks call it, in the same order. `protects`:
  // memory of the space, the same on all ranks; empty: all. Errors: InvalidArgument for a rank that
  // does not exist, OutOfRange for memory that was not allocated.
  static absl::StatusOr<Mutex> Make(Space& space, int home,
                                    std::span<const std::byte> protects = {});

  // Errors: Unavailable where the mutex's home is gone, or a home of what it protects.
  absl::StatusOr<Locked> Lock();
  // The lock is given back whatever is returned. Errors: as Lock, where changes were lost;
  // FailedPrecondition where this rank does not hold it.
  absl::Status Unlock();

 private:
  Mutex(Space& space, LockId id, std::span<const std::byte> protects)
      : space_(&space), id_(id), protects_(protects) {}

  Space* space_;
  LockId id_;
  std::span<const std::byte> protects_;
};

}  // namespace dsm
