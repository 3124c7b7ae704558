// A mutex that knows which thread holds it, as those of C programs must: it may be recursive, tell
// errors, and be waited for until a moment. lwt::Mutex (mutex.h), which does less, is faster.
//
// The next owner is chosen as lwt::Mutex does: an unlock wakes the thread that has waited longest,
// the first thread to come gets it, and a thread that was woken in vain is handed it. Threads that
// wait for each other's mutexes are found as there (owner.h).
//
// Threads: any, inside and outside of pools.
// Order: what came before Unlock happens before what follows the next Lock (list_lock_).
// Progress: a lock and an unlock hold a spin lock for a few instructions.
#pragma once

#include <cstdint>
#include <optional>

#include "lwt/timer.h"
#include "lwt/wait/owner.h"
#include "lwt/wait/wait_list.h"
#include "lwt/waiter.h"
#include "topo/spin_lock.h"

namespace lwt::c {

// An address that no other thread has while this one lives: on a lightweight thread's stack, else
// of a variable of the OS thread.
std::uintptr_t ThreadMark();

// A value. All zeros are a free one; the size and the place of `kind` are those of glibc's
// pthread_mutex_t, whose static initializers write nothing else. Results are errno values.
class OwnedLock {
 public:
  enum Kind : std::int32_t { kNormal = 0, kRecursive = 1, kErrorcheck = 2, kAdaptive = 3 };

  explicit OwnedLock(Kind kind) : kind_(kind) {}
  OwnedLock(const OwnedLock&) = delete;
  OwnedLock& operator=(const OwnedLock&) = delete;

  // 0; EDEADLK for the thread that holds one of kErrorcheck; EAGAIN where a recursive one was
  // locked 2^32 - 1 times; ETIMEDOUT at the deadline. Of kNormal a thread that locks it twice
  // without a deadline ends the program.
  int Lock(std::optional<Deadline> deadline = {});
  // 0; EBUSY where another thread holds it, or this one and it is not recursive; EAGAIN as of Lock.
  int TryLock();
  // 0; EPERM for a thread that does not hold it. Of kNormal another thread may unlock it, and to
  // unlock a free one ends the program.
  int Unlock();
  // Would Unlock return EPERM?
  bool RefusesUnlock();
  // Does a thread hold it?
  bool IsHeld();

  // For condition variables.
  void lock() { (void)Lock(); }
  void unlock() { (void)Unlock(); }

 private:
  struct Candidate;

  // With list_lock_ held: 0, an error, or nothing: the calling thread has to wait.
  std::optional<int> TakeOrRefuse(std::uintptr_t self);

  topo::BasicSpinLock<Atomic> list_lock_;
  std::uint32_t times_ = 0;  // that the owner has locked it again
  Owner owner_;              // its mark is a ThreadMark, or of no thread; 0: nobody holds it
  Kind kind_;
  [[maybe_unused]] std::uint32_t unused_ = 0;
  WaitList<Waiter> waiting_;
};
static_assert(sizeof(OwnedLock) == 40);

}  // namespace lwt::c
