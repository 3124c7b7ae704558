// A lock that blocks the thread and not the worker.
//
//   lwt::Mutex mutex;
//   const std::lock_guard lock(mutex);
//
// Unlock frees it and wakes the thread that has waited longest; the first thread to
// come then gets it (barging). To hand it over instead would leave it held by a thread
// that is only ready, while threads that run queue up behind it. A thread that was
// woken in vain is first in the queue, and is handed the mutex: no thread starves.
//
// A thread that would wait for itself, because it holds the mutex or through others
// that wait for mutexes or for the end of threads or forked calls, is a deadlock: the program ends
// with the names of all that are in it, at once, whatever else runs (owner.h).
//
// Threads: any, inside and outside of pools. The thread that locked it unlocks
//   it, on any worker. Not recursive. An Unlock by a thread that does not hold it is
//   undefined. It is not found while another thread holds the mutex: Unlock does not ask who
//   does. Where nobody holds it or waits for it, the program ends with a sentence.
// Order: what came before Unlock happens before what follows the next Lock, or
//   TryLock that was true (word_: release, acquire).
// Progress: without contention, Lock and Unlock are one read-modify-write each.
//
// tests/mutex_model_test.cc runs this code under every interleaving of up to 5 preemptions (larger
// programs of fewer, down to 1).
#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "lwt/contract.h"
#include "lwt/kernel/owner.h"
#include "lwt/machine/atomic.h"
#include "lwt/wait/wait_list.h"
#include "lwt/waiter.h"
#include "topo/spin_lock.h"

namespace lwt {

// A value. Not held at first.
template <template <typename> class AtomicT, typename Waiter, typename Owner = UnknownOwner>
class ABSL_LOCKABLE BasicMutex {
 public:
  BasicMutex() = default;
  BasicMutex(const BasicMutex&) = delete;
  BasicMutex& operator=(const BasicMutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    if (SetHighestBit(word_)) [[likely]] {
      owner_.Set();
    } else {
      LockSlowly();
    }
  }

  [[nodiscard]] bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) {
    if (!TakeIfFree()) return false;
    owner_.SetByTry();
    return true;
  }

  void Unlock() ABSL_UNLOCK_FUNCTION() {
    owner_.Clear();
    if (!AddToHighestBitAndOne(word_)) [[unlikely]]
      UnlockSlowly();
  }

  // By these names std::lock_guard, std::unique_lock and std::scoped_lock know it.
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { Lock(); }
  [[nodiscard]] bool try_lock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return TryLock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { Unlock(); }

 private:
  // The highest bit of word_ is set while it is held, the others count the times that it
  // was unlocked. Lock sets the bit, and Unlock adds it and one, which clears it. A
  // waiter makes all others ones: then Unlock's one goes up to the highest bit too,
  // which stays set. So a mutex that is awaited is held until Unlock has seen the waiters,
  // and no instruction asks for them. (The count comes there itself once in 2^31.)
  static constexpr std::uint32_t kHeld = kHighestBit, kAwaited = kHeld - 1;

  struct Candidate : Waiter {
    bool was_woken = false;  // set by the candidate, while it is in no list
    bool holds = false;      // set by Unlock, before it wakes the candidate
  };

  bool TakeIfFree() {
    // Looking first leaves the cache line with the thread that holds the mutex.
    return (word_.Load(std::memory_order_relaxed) & kHeld) == 0 && SetHighestBit(word_);
  }

  // Clang's analysis accepts the body of a lock function only where it is built on another lock.
  [[gnu::noinline]] void LockSlowly() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    Candidate self;
    while (!TakeIfFree()) {
      list_lock_.Lock();
      std::uint32_t before = word_.Load(std::memory_order_relaxed);
      // Marks it as awaited, but only while it is held: else no Unlock would see the waiter.
      while ((before & kHeld) != 0 &&
             !word_.CompareExchange(before, before | kAwaited, std::memory_order_acquire)) {
      }
      const bool waits = (before & kHeld) != 0;
      if (waits) self.was_woken ? waiting_.AddAsOldest(self) : waiting_.Add(self);
      list_lock_.Unlock();
      if (!waits) continue;
      owner_.BeginWait();
      self.Wait("a mutex");
      owner_.EndWait();
      if (self.holds) {
        owner_.Set();
        return;
      }
      self.Reset();
      self.was_woken = true;
    }
    owner_.Set();
  }

  [[gnu::noinline]] void UnlockSlowly() {
    const std::uint32_t count = word_.Load(std::memory_order_relaxed) & kAwaited;
    CheckContract(count == 0 || count == kAwaited,
                  "a mutex is unlocked by the thread that holds it: no thread held this mutex");
    list_lock_.Lock();
    auto* const next = static_cast<Candidate*>(waiting_.TakeOldest());
    const bool hands_over = next != nullptr && next->was_woken;
    if (hands_over) next->holds = true;
    // No other thread writes: the mutex is held, and a thread that begins to wait needs list_lock_.
    word_.Store((hands_over ? kHeld : 0) | (waiting_.empty() ? 0 : kAwaited),
                std::memory_order_release);
    list_lock_.Unlock();
    if (next != nullptr) next->Wake();
  }

  // The first, so that a report's address of it is that of the mutex.
  [[no_unique_address]] Owner owner_;
  AtomicT<std::uint32_t> word_{0};
  topo::BasicSpinLock<AtomicT> list_lock_;
  // Not empty while word_ has kAwaited.
  WaitList<Waiter> waiting_ ABSL_GUARDED_BY(list_lock_);
};

using Mutex = BasicMutex<Atomic, Waiter, Owner>;

}  // namespace lwt
