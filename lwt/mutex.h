// A lock that blocks the thread and not the worker.
//
//   lwt::Mutex mutex;
//   const std::lock_guard lock(mutex);
//
// Unlock frees it and wakes the one who has waited longest; whoever comes first
// then gets it (barging). To hand it over instead would leave it held by a thread
// that is only ready, while threads that run queue up behind it. Who was woken in
// vain is first in the queue, and is handed it: nobody starves.
//
// Threads: any, inside and outside of pools. The thread that locked it unlocks
//   it, on whatever worker it is by then. Not recursive.
// Order: what came before Unlock happens before what follows the next Lock, or
//   TryLock that was true (word_: release, acquire).
// Progress: nobody else there, Lock and Unlock are one read-modify-write each.
//
// tests/mutex_model_test.cc runs this code under every interleaving.
#pragma once

#include <cstdint>

#include "lwt/atomic.h"
#include "lwt/contract.h"
#include "lwt/wait_list.h"
#include "lwt/waiter.h"

namespace lwt {

// A value. Not held at first.
template <template <typename> class AtomicT, typename Waiter>
class BasicMutex {
 public:
  BasicMutex() = default;
  BasicMutex(const BasicMutex&) = delete;
  BasicMutex& operator=(const BasicMutex&) = delete;

  void Lock() {
    std::uint32_t expected = 0;
    if (!word_.CompareExchange(expected, kHeld, std::memory_order_acquire)) [[unlikely]]
      LockSlowly();
  }

  [[nodiscard]] bool TryLock() {
    std::uint32_t before = word_.Load(std::memory_order_relaxed);
    while ((before & kHeld) == 0) {
      if (word_.CompareExchange(before, before | kHeld, std::memory_order_acquire)) return true;
    }
    return false;
  }

  void Unlock() {
    std::uint32_t expected = kHeld;
    if (!word_.CompareExchange(expected, 0, std::memory_order_release)) [[unlikely]] {
      CheckContract((expected & kHeld) != 0, "a mutex is unlocked by the thread that holds it");
      UnlockSlowly();
    }
  }

  // By these names std::lock_guard, std::unique_lock and std::scoped_lock know it.
  void lock() { Lock(); }
  [[nodiscard]] bool try_lock() { return TryLock(); }
  void unlock() { Unlock(); }

 private:
  static constexpr std::uint32_t kHeld = 1, kAwaited = 2;

  struct Candidate : Waiter {
    bool was_woken = false;  // by the candidate, while it is in no list
    bool holds = false;      // by Unlock, before it wakes it
  };

  void LockSlowly() {
    Candidate self;
    while (!TryLock()) {
      list_lock_.Lock();
      std::uint32_t before = word_.Load(std::memory_order_relaxed);
      // Says that somebody waits; but not of a mutex that nobody would unlock.
      while ((before & kHeld) != 0 &&
             !word_.CompareExchange(before, before | kAwaited, std::memory_order_acquire)) {
      }
      const bool waits = (before & kHeld) != 0;
      if (waits) self.was_woken ? waiting_.AddAsOldest(self) : waiting_.Add(self);
      list_lock_.Unlock();
      if (!waits) continue;
      self.Wait("a mutex");
      if (self.holds) return;
      self.Reset();
      self.was_woken = true;
    }
  }

  void UnlockSlowly() {
    list_lock_.Lock();
    auto* const next = static_cast<Candidate*>(waiting_.TakeOldest());
    next->holds = next->was_woken;
    // Nobody else writes: it is held, and who wants to wait needs list_lock_.
    word_.Store((next->holds ? kHeld : 0) | (waiting_.empty() ? 0 : kAwaited),
                std::memory_order_release);
    list_lock_.Unlock();
    next->Wake();
  }

  AtomicT<std::uint32_t> word_{0};
  BasicSpinLock<AtomicT> list_lock_;
  WaitList<Waiter> waiting_;  // under list_lock_; not empty while word_ says kAwaited
};

using Mutex = BasicMutex<Atomic, Waiter>;

}  // namespace lwt
