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
//
// tests/shared_lock_model_test.cc runs this code under every interleaving of up to 5 preemptions
// (larger programs of fewer, down to 2).
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "lwt/c/thread_mark.h"
#include "lwt/machine/atomic.h"
#include "lwt/timer.h"
#include "lwt/wait/wait_list.h"
#include "topo/spin_lock.h"

namespace lwt::c {

// A value. All zeros are a free one that prefers readers; the place of `kind` is as in glibc's
// pthread_rwlock_t, whose static initializers write nothing else. Results are errno values.
template <template <typename> class AtomicT, typename Threads>
class BasicSharedLock {
 public:
  enum Kind : std::int32_t { kPreferReader = 0, kPreferWriter = 1, kPreferWriterNonrecursive = 2 };

  explicit BasicSharedLock(Kind kind) : kind_(kind) {}
  BasicSharedLock(const BasicSharedLock&) = delete;
  BasicSharedLock& operator=(const BasicSharedLock&) = delete;

  // 0; EDEADLK for the writer that holds it; ETIMEDOUT at the deadline.
  int LockShared(std::optional<Deadline> deadline = {}) { return Lock(Side::kReader, deadline); }
  int LockExclusive(std::optional<Deadline> deadline = {}) { return Lock(Side::kWriter, deadline); }
  // 0; EBUSY.
  int TryLockShared() { return TryLock(Side::kReader); }
  int TryLockExclusive() { return TryLock(Side::kWriter); }

  // Either's. 0; EPERM where nobody holds it, or another thread as a writer.
  int Unlock() {
    list_lock_.Lock();
    const bool is_writers = writer_ != 0;
    if (is_writers ? writer_ != Threads::Mark() : readers_ == 0) {
      list_lock_.Unlock();
      return EPERM;
    }
    if (is_writers) {
      writer_ = 0;
    } else {
      --readers_;
    }
    WaitList<Waiter> entering = TakeThoseWhoMayEnter();
    list_lock_.Unlock();
    entering.WakeAll();
    return 0;
  }

  bool IsHeld() {
    list_lock_.Lock();
    const bool is_held = writer_ != 0 || readers_ > 0;
    list_lock_.Unlock();
    return is_held;
  }

 private:
  using Waiter = typename Threads::Waiter;

  enum class Side : std::uint8_t { kReader, kWriter };
  struct Candidate : Waiter {
    std::uintptr_t mark = Threads::Mark();
    Side side = Side::kReader;
  };

  int Lock(Side side, std::optional<Deadline> deadline) {
    Candidate self;
    self.side = side;
    list_lock_.Lock();
    const bool enters = MayEnter(side);
    const bool is_held_by_self = writer_ == self.mark;
    if (enters) {
      Enter(side, self.mark);
    } else if (!is_held_by_self) {
      waiting_.Add(self);
      if (side == Side::kWriter) ++waiting_writers_;
    }
    list_lock_.Unlock();
    if (enters) return 0;
    if (is_held_by_self) return EDEADLK;
    if (!deadline) {
      self.Wait("a reader-writer lock");
      return 0;
    }
    const bool gave_up = WakeOrDeadline(self, *deadline, "a reader-writer lock", [&] {
      list_lock_.Lock();
      const bool removed = waiting_.Remove(self);
      if (removed && side == Side::kWriter) --waiting_writers_;
      list_lock_.Unlock();
      return removed;
    });
    if (!gave_up) return 0;
    // Readers may have waited for this writer alone.
    list_lock_.Lock();
    WaitList<Waiter> entering = TakeThoseWhoMayEnter();
    list_lock_.Unlock();
    entering.WakeAll();
    return ETIMEDOUT;
  }

  int TryLock(Side side) {
    list_lock_.Lock();
    const bool enters = MayEnter(side);
    if (enters) Enter(side, Threads::Mark());
    list_lock_.Unlock();
    return enters ? 0 : EBUSY;
  }

  bool MayEnter(Side side) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(list_lock_) {
    if (writer_ != 0) return false;
    if (side == Side::kWriter) return readers_ == 0;
    return kind_ != kPreferWriterNonrecursive || waiting_writers_ == 0;
  }

  void Enter(Side side, std::uintptr_t mark) ABSL_EXCLUSIVE_LOCKS_REQUIRED(list_lock_) {
    if (side == Side::kWriter) {
      writer_ = mark;
    } else {
      ++readers_;
    }
  }

  // They hold it from here on.
  WaitList<Waiter> TakeThoseWhoMayEnter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(list_lock_) {
    WaitList<Waiter> entering;
    if (writer_ != 0) return entering;
    auto* const oldest = static_cast<Candidate*>(waiting_.oldest());
    if (oldest == nullptr) return entering;
    if (oldest->side == Side::kWriter) {
      if (readers_ > 0) return entering;
      waiting_.TakeOldest();
      --waiting_writers_;
      writer_ = oldest->mark;
      entering.Add(*oldest);
      return entering.TakeAll();  // A deadline finds none of them in a list.
    }
    for (auto* waiter = waiting_.oldest(); waiter != nullptr;) {
      auto* const newer = waiter->newer;
      if (static_cast<Candidate*>(waiter)->side == Side::kReader) {
        waiting_.Remove(*waiter);
        ++readers_;
        entering.Add(*waiter);
      }
      waiter = newer;
    }
    return entering.TakeAll();
  }

  topo::BasicSpinLock<AtomicT> list_lock_;
  std::uint32_t readers_ ABSL_GUARDED_BY(list_lock_) = 0;
  // Its mark; 0: none.
  std::uintptr_t writer_ ABSL_GUARDED_BY(list_lock_) = 0;
  WaitList<Waiter> waiting_ ABSL_GUARDED_BY(list_lock_);
  std::uint32_t waiting_writers_ ABSL_GUARDED_BY(list_lock_) = 0;
  [[maybe_unused]] std::uint32_t unused_[3] = {};
  Kind kind_;
};

using SharedLock = BasicSharedLock<Atomic, ProgramThreads>;
static_assert(sizeof(SharedLock) <= 56);

}  // namespace lwt::c
