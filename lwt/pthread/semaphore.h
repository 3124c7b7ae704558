// A counting semaphore: sem_t.
//
// Threads: any, inside and outside of pools.
// Order: what came before a Post happens before what follows the Wait that it lets through (lock_).
// Progress: blocking. Post hands its unit to the thread that has waited longest.
#pragma once

#include <cstdint>
#include <optional>

#include "lwt/timer.h"
#include "lwt/wait/wait_list.h"
#include "lwt/waiter.h"
#include "topo/spin_lock.h"

namespace lwt::c {

// A value.
class Semaphore {
 public:
  static constexpr unsigned kMost = 0x7FFFFFFF;

  // `value`: at most kMost.
  explicit Semaphore(unsigned value) : value_(value) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // False: the deadline came first.
  bool Wait(std::optional<Deadline> deadline = {}) {
    Waiter self;
    lock_.Lock();
    const bool has_unit = TakeUnit();
    if (!has_unit) waiting_.Add(self);
    lock_.Unlock();
    if (has_unit) return true;
    if (!deadline) {
      self.Wait("a semaphore");
      return true;
    }
    return !WakeOrDeadline(self, *deadline, "a semaphore", [&] {
      lock_.Lock();
      const bool removed = waiting_.Remove(self);
      lock_.Unlock();
      return removed;
    });
  }

  bool TryWait() {
    lock_.Lock();
    const bool has_unit = TakeUnit();
    lock_.Unlock();
    return has_unit;
  }

  // False: it has kMost units.
  bool Post() {
    lock_.Lock();
    Waiter* const waiter = waiting_.TakeOldest();
    const bool fits = waiter != nullptr || value_ < kMost;
    if (waiter == nullptr && fits) ++value_;
    lock_.Unlock();
    if (waiter != nullptr) waiter->Wake();
    return fits;
  }

  unsigned value() {
    lock_.Lock();
    const unsigned value = value_;
    lock_.Unlock();
    return value;
  }

 private:
  bool TakeUnit() {
    if (value_ == 0) return false;
    --value_;
    return true;
  }

  topo::BasicSpinLock<Atomic> lock_;
  std::uint32_t value_;
  WaitList<Waiter> waiting_;
};

}  // namespace lwt::c
