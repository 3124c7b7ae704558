// A mutex that knows which thread holds it, as those of C programs must: it may be recursive, tell
// errors, and be waited for until a moment.
//
// The next owner is chosen as lwt::Mutex does (mutex.h): an unlock wakes the thread that has waited
// longest, the first thread to come gets it, and a thread that was woken in vain is handed it.
// Threads that wait for each other's mutexes are found as there (owner.h).
//
// Threads: any, inside and outside of pools. A thread that has got it may destroy it once it has
//   unlocked it, though the thread that had it before is still in Unlock.
// Order: what came before Unlock happens before what follows the next Lock (the owner's word:
//   release, acquire).
// Progress: without contention a lock and an unlock are one read-modify-write each. Where threads
//   wait they hold a bit of the word, as a spin lock, for a few instructions.
//
// tests/owned_lock_model_test.cc runs this code under every interleaving of up to 5 preemptions
// (larger programs of fewer, down to 2).
#pragma once

#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>

#include "lwt/c/thread_mark.h"
#include "lwt/contract.h"
#include "lwt/machine/atomic.h"
#include "lwt/timer.h"
#include "lwt/wait/wait_list.h"

namespace lwt::c {

// A value. All zeros are a free one; the size and the place of `kind` are those of glibc's
// pthread_mutex_t, whose static initializers write nothing else. Results are errno values.
template <template <typename> class AtomicT, typename Threads>
class BasicOwnedLock {
 public:
  enum Kind : std::int32_t { kNormal = 0, kRecursive = 1, kErrorcheck = 2, kAdaptive = 3 };

  explicit BasicOwnedLock(Kind kind) : kind_(kind) {}
  BasicOwnedLock(const BasicOwnedLock&) = delete;
  BasicOwnedLock& operator=(const BasicOwnedLock&) = delete;

  // 0; EDEADLK for the thread that holds one of kErrorcheck; EAGAIN where a recursive one was
  // locked 2^32 times; ETIMEDOUT at the deadline. Of kNormal a thread that locks it twice without a
  // deadline ends the program.
  int Lock(std::optional<Deadline> deadline = {}) {
    const std::uintptr_t self = Threads::Mark();
    std::uintptr_t before = 0;
    if (!owner_.word().CompareExchange(before, self, std::memory_order_acquire)) [[unlikely]] {
      return LockSlowly(self, deadline);
    }
    sanitizer_.OnLock();
    return 0;
  }

  // 0; EBUSY where another thread holds it, or this one and it is not recursive; EAGAIN as of Lock.
  int TryLock() {
    const std::uintptr_t self = Threads::Mark();
    std::uintptr_t before = 0;
    while (!owner_.word().CompareExchange(before, self | (before & kAwaited),
                                          std::memory_order_acquire)) {
      if (HolderIn(before) == self && kind_ == kRecursive) return LockAgain();
      if (HolderIn(before) != 0) return EBUSY;
      if ((before & kListHeld) != 0) owner_.word().WaitWhile(before);
      before &= kAwaited;
    }
    sanitizer_.OnTryLock();
    return 0;
  }

  // 0; EPERM for a thread that does not hold it. Of kNormal another thread may unlock it, and to
  // unlock a free one ends the program.
  int Unlock() {
    const std::uintptr_t self = Threads::Mark();
    const std::uintptr_t holder = HolderIn(owner_.word().Load(std::memory_order_relaxed));
    if (holder != self) [[unlikely]] {
      return UnlockForOther(holder);
    }
    if (times_ > 0) {
      --times_;
      return 0;
    }
    sanitizer_.OnUnlock();
    std::uintptr_t before = self;
    if (!owner_.word().CompareExchange(before, 0, std::memory_order_release)) [[unlikely]] {
      UnlockSlowly();
    }
    return 0;
  }

  // Would Unlock return EPERM?
  bool RefusesUnlock() {
    return IsChecked() &&
           HolderIn(owner_.word().Load(std::memory_order_relaxed)) != Threads::Mark();
  }
  // Does a thread hold it?
  bool IsHeld() { return HolderIn(owner_.word().Load(std::memory_order_relaxed)) != 0; }

  // For condition variables.
  void lock() { (void)Lock(); }
  void unlock() { (void)Unlock(); }

 private:
  using Waiter = typename Threads::Waiter;

  // The owner's word is the mark of the thread that holds the lock, or kHandedOver, or 0: no thread
  // does; and two bits, which marks have clear. With kListHeld set, the thread that set it alone
  // writes the word, and is in waiting_. kAwaited is set, also of a free lock, while a thread is in
  // waiting_: so an unlock sees it. It may stay when the thread has given up.
  //
  // The list is held by a bit of this word, and not by a lock beside it, so that one store both
  // frees the mutex and leaves the list: the next owner may destroy the mutex.
  static constexpr std::uintptr_t kAwaited = 1, kListHeld = 2;
  // The next owner has not gone on yet. It is no thread's mark, because that thread still waits,
  // and a search for cycles would find that it waits for itself.
  static constexpr std::uintptr_t kHandedOver = 4;
  static std::uintptr_t HolderIn(std::uintptr_t word) { return word & ~(kAwaited | kListHeld); }

  struct Candidate : Waiter {
    bool was_woken = false;  // set by the candidate, while it is in no list
    bool holds = false;      // set by Unlock, before it wakes the candidate
  };

  bool IsChecked() const { return kind_ == kRecursive || kind_ == kErrorcheck; }

  // Returns the word as it was, without kListHeld.
  std::uintptr_t LockList() {
    auto& word = owner_.word();
    std::uintptr_t before = word.Load(std::memory_order_relaxed);
    while (true) {
      if ((before & kListHeld) != 0) {
        word.WaitWhile(before);
        before = word.Load(std::memory_order_relaxed);
      } else if (word.CompareExchange(before, before | kListHeld, std::memory_order_acquire)) {
        return before;
      }
    }
  }
  // If it frees the mutex, that may be gone.
  void UnlockList(std::uintptr_t after) {
    auto& word = owner_.word();
    word.Store(after, std::memory_order_release);
    word.WakeAll();  // By the address alone.
  }

  // A recursive one, by the thread that holds it.
  int LockAgain() {
    if (times_ == std::numeric_limits<std::uint32_t>::max()) return EAGAIN;
    ++times_;
    return 0;
  }

  [[gnu::noinline]] int LockSlowly(std::uintptr_t self, std::optional<Deadline> deadline) {
    if (HolderIn(owner_.word().Load(std::memory_order_relaxed)) == self) {
      if (kind_ == kRecursive) return LockAgain();
      if (kind_ == kErrorcheck) return EDEADLK;
    }
    Candidate candidate;
    while (true) {
      const std::uintptr_t before = LockList();
      if (HolderIn(before) == 0) {
        UnlockList(self | before);
        break;
      }
      candidate.was_woken ? waiting_.AddAsOldest(candidate) : waiting_.Add(candidate);
      UnlockList(before | kAwaited);
      if (deadline) {
        const bool gave_up = WakeOrDeadline(candidate, *deadline, "a mutex", [&] {
          const std::uintptr_t word = LockList();
          const bool removed = waiting_.Remove(candidate);
          UnlockList(word);
          return removed;
        });
        if (gave_up) return ETIMEDOUT;
      } else {
        owner_.BeginWait();
        candidate.Wait("a mutex");
        owner_.EndWait();
      }
      if (candidate.holds) {
        const std::uintptr_t handed = LockList();
        // Else another thread has unlocked it for this one.
        const bool is_held = HolderIn(handed) == kHandedOver;
        UnlockList(is_held ? self | (handed & kAwaited) : handed);
        break;
      }
      candidate.Reset();
      candidate.was_woken = true;
    }
    sanitizer_.OnLock();
    return 0;
  }

  [[gnu::noinline]] int UnlockForOther(std::uintptr_t holder) {
    if (IsChecked()) return EPERM;
    if (holder != 0) sanitizer_.OnUnlock();  // Else UnlockSlowly finds the mistake.
    UnlockSlowly();
    return 0;
  }

  [[gnu::noinline]] void UnlockSlowly() {
    CheckContract(HolderIn(LockList()) != 0,
                  "a mutex is unlocked by the thread that holds it: no thread held this mutex");
    auto* const next = static_cast<Candidate*>(waiting_.TakeOldest());
    const bool hands_over = next != nullptr && next->was_woken;
    if (hands_over) next->holds = true;
    UnlockList((hands_over ? kHandedOver : 0) | (waiting_.empty() ? 0 : kAwaited));
    if (next != nullptr) next->Wake();
  }

  // Not at the word's address: ThreadSanitizer keeps one order of events for each.
  [[no_unique_address]] typename Threads::Sanitizer sanitizer_;
  [[maybe_unused]] std::uint32_t unused_ = 0;
  std::uint32_t times_ = 0;  // that the owner has locked it again; by the owner only
  typename Threads::Owner owner_;
  Kind kind_;
  [[maybe_unused]] std::uint32_t unused_too_ = 0;
  WaitList<Waiter> waiting_;  // with kListHeld
};

using OwnedLock = BasicOwnedLock<Atomic, ProgramThreads>;
static_assert(sizeof(OwnedLock) == 40);

}  // namespace lwt::c
