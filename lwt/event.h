// Something that happens once, seen by all threads that wait for it.
//
//   lwt::Event done;
//   std::thread outside([&] { Read(file); done.Set(); });
//   done.Wait();   // the worker does something else meanwhile
//
// Threads: any, inside and outside of pools, for every member. A thread that returns from
//   Wait may destroy the event, even while Set is about to return; where others
//   wait with deadlines or stop tokens, once these have returned too.
// Order: what came before Set happens before what follows Wait, or IsSet() ==
//   true (word_: release, acquire).
// Progress: Set and IsSet are wait-free but for the waking; Wait is lock-free
//   until it waits, where no deadlines and stop tokens are. A waiter that gives up holds up others
//   that come to wait or to give up, for a walk over all waiters.
//
// tests/event_model_test.cc runs this code under every interleaving of up to 3 preemptions (larger
// programs of fewer, down to 2; most programs have no bound).
#pragma once

#include <cstdint>
#include <stop_token>

#include "lwt/machine/atomic.h"
#include "lwt/timer.h"
#include "lwt/wait/wake_on_stop.h"
#include "lwt/waiter.h"

namespace lwt {

// A value. Not set at first.
template <template <typename> class AtomicT, typename Waiter>
class BasicEvent {
 public:
  BasicEvent() = default;
  BasicEvent(const BasicEvent&) = delete;
  BasicEvent& operator=(const BasicEvent&) = delete;

  bool IsSet() const { return word_.Load(std::memory_order_acquire) == kSet; }

  // It has happened; a second call changes nothing. Wakes waiters in the order in which they came.
  void Set() {
    // Nothing here touches the event after this.
    const std::uintptr_t before = word_.Exchange(kSet, std::memory_order_acq_rel);
    if (before == kSet) return;
    if ((before & kLocked) == 0) {
      WakeAll(reinterpret_cast<Waiter*>(before));
    } else {
      word_.WakeAll();  // The thread that holds the lock finds out, and wakes them.
    }
  }

  // Returns once it is set.
  void Wait(const char* why = "an event") {
    if (IsSet()) return;
    Waiter self;
    if (Add(self)) self.Wait(why);
  }

  // Returns once it is set, or when stop is requested. Is it set?
  [[nodiscard]] bool Wait(std::stop_token stop, const char* why = "an event") {
    if (IsSet()) return true;
    Waiter self;
    if (!Add(self)) return true;
    const auto waking = WakeOnStop(stop, self, [this, &self] { return GiveUp(self); });
    self.Wait(why);
    return IsSet();
  }

  // Returns once it is set, or at the deadline. Is it set?
  [[nodiscard]] bool WaitUntil(Deadline deadline, const char* why = "an event") {
    if (IsSet()) return true;
    Waiter self;
    if (!Add(self)) return true;
    return !WakeOrDeadline(self, deadline, why, [&] { return GiveUp(self); });
  }
  template <typename Rep, typename Period>
  [[nodiscard]] bool WaitFor(std::chrono::duration<Rep, Period> timeout,
                             const char* why = "an event") {
    return WaitUntil(DeadlineAfter(timeout), why);
  }

  // To be used again: not set from here on. Precondition: no thread waits, and no Set that is meant
  // for the next time has come.
  void Reset() {
    std::uintptr_t expected = kSet;
    word_.CompareExchange(expected, kClear, std::memory_order_acq_rel);
  }

 private:
  // The first in the list, or false: it is set.
  bool Add(Waiter& self) {
    std::uintptr_t before = LoadUnlocked();
    while (before != kSet) {
      self.older = reinterpret_cast<Waiter*>(before);
      if (word_.CompareExchange(before, reinterpret_cast<std::uintptr_t>(&self),
                                std::memory_order_acq_rel)) {
        return true;
      }
      if ((before & kLocked) != 0) before = LoadUnlocked();
    }
    return false;
  }

  // Takes `self` out of the list; false if it has been woken or will be.
  bool GiveUp(Waiter& self) {
    std::uintptr_t before = LoadUnlocked();
    while (before != kSet &&
           !word_.CompareExchange(before, before | kLocked, std::memory_order_acq_rel)) {
      if ((before & kLocked) != 0) before = LoadUnlocked();
    }
    if (before == kSet) return false;
    Waiter* newest = reinterpret_cast<Waiter*>(before);
    Waiter** link = &newest;
    while (*link != nullptr && *link != &self) link = &(*link)->older;
    const bool found = *link != nullptr;
    if (found) *link = self.older;
    std::uintptr_t expected = before | kLocked;
    if (word_.CompareExchange(expected, reinterpret_cast<std::uintptr_t>(newest),
                              std::memory_order_acq_rel)) {
      word_.WakeAll();
      return found;
    }
    // Set has come, and has left all waiters to the thread that holds the lock.
    if (found) *link = &self;
    WakeAll(newest);
    return false;
  }

  std::uintptr_t LoadUnlocked() const {
    std::uintptr_t word = word_.Load(std::memory_order_acquire);
    while ((word & kLocked) != 0) {
      word_.WaitWhile(word);
      word = word_.Load(std::memory_order_acquire);
    }
    return word;
  }

  // In the order in which they came. The event may be gone.
  static void WakeAll(Waiter* newest) {
    Waiter* oldest = nullptr;
    while (newest != nullptr) {
      Waiter* const older = newest->older;
      newest->newer = oldest;
      oldest = newest;
      newest = older;
    }
    while (oldest != nullptr) {
      Waiter* const newer = oldest->newer;  // Woken, it may be gone.
      oldest->Wake();
      oldest = newer;
    }
  }

  static constexpr std::uintptr_t kClear = 0, kSet = 1, kLocked = 2;
  // kSet, or the newest waiter. With kLocked: a waiter gives up, and only that one and Set write.
  AtomicT<std::uintptr_t> word_{kClear};
};

using Event = BasicEvent<Atomic, Waiter>;

}  // namespace lwt
