// A lock that one writer or any number of readers hold: pthread_rwlock_t and myth_rwlock_t.
//
// It is handed over as it becomes free, to the thread that has waited longest, or, if that one is a
// reader, to all readers that wait. A reader that comes waits for writers that wait only where the
// kind prefers them.
//
// Threads: any, inside and outside of pools.
// Order: what came before Unlock happens before what follows the next Lock that it made wait or
//   that came later (list_lock_).
// Progress: a lock and an unlock hold a spin lock for a few instructions, an unlock for a few a
//   reader that it wakes.
#pragma once

#include <cstdint>
#include <optional>

#include "lwt/timer.h"
#include "lwt/wait/wait_list.h"
#include "lwt/waiter.h"
#include "topo/spin_lock.h"

namespace lwt::c {

// A value. All zeros are a free one that prefers readers; the place of `kind` is as in glibc's
// pthread_rwlock_t, whose static initializers write nothing else. Results are errno values.
class SharedLock {
 public:
  enum Kind : std::int32_t { kPreferReader = 0, kPreferWriter = 1, kPreferWriterNonrecursive = 2 };

  explicit SharedLock(Kind kind) : kind_(kind) {}
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

  // 0; EDEADLK for the writer that holds it; ETIMEDOUT at the deadline.
  int LockShared(std::optional<Deadline> deadline = {}) { return Lock(false, deadline); }
  int LockExclusive(std::optional<Deadline> deadline = {}) { return Lock(true, deadline); }
  // 0; EBUSY.
  int TryLockShared();
  int TryLockExclusive();
  // Either's. 0; EPERM where nobody holds it, or another thread as a writer.
  int Unlock();
  bool IsHeld();

 private:
  struct Candidate;

  int Lock(bool as_writer, std::optional<Deadline> deadline);
  // The rest with list_lock_ held.
  bool MayEnter(bool as_writer) const;
  void Enter(bool as_writer, std::uintptr_t mark);
  WaitList<Waiter> TakeThoseWhoMayEnter();

  topo::BasicSpinLock<Atomic> list_lock_;
  std::uint32_t readers_ = 0;
  std::uintptr_t writer_ = 0;  // its ThreadMark; 0: none
  WaitList<Waiter> waiting_;
  std::uint32_t waiting_writers_ = 0;
  [[maybe_unused]] std::uint32_t unused_[3] = {};
  Kind kind_;
};
static_assert(sizeof(SharedLock) <= 56);

}  // namespace lwt::c
