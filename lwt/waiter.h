// A waiting thread, and its waking: the node of which every wait list is made.
//
//   lwt::Waiter self;                    // on the stack of the waiting thread
//   list.Add(self);                      // in some list, under its lock
//   self.Wait("my queue");               // elsewhere: list.TakeOldest()->Wake();
//
// A lightweight thread that waits is suspended, and its worker goes on; an OS
// thread outside of pools sleeps in the kernel. Nothing is allocated, so waiting
// cannot fail.
//
// Threads: Wait by the thread that made it; Wake once for each Wait, by any thread.
//   Wake may come before Wait, which then returns at once.
// Order: what came before Wake happens before what follows Wait (state_: acquire,
//   release). Wake's exchange is the last that it does with the waiter: from
//   there on the waiter, and what it lies in, may be gone.
// Progress: Wake is wait-free, but for the run queue's lock where it comes from
//   outside of the pool.
//
// tests/event_model_test.cc runs this code under every interleaving of up to 3 preemptions (larger
// programs of fewer, down to 2; most programs have no bound).
#pragma once

#include <cstdint>
#include <utility>

#include "lwt/machine/atomic.h"
#include "lwt/suspend.h"

namespace lwt {

// A value on the stack of the waiting thread. `Threads`: which threads can be suspended, and how.
template <template <typename> class AtomicT, typename Threads>
class BasicWaiter {
 public:
  BasicWaiter() = default;
  BasicWaiter(const BasicWaiter&) = delete;
  BasicWaiter& operator=(const BasicWaiter&) = delete;

  // Returns after Wake. `why`: a literal, for reports; `by`: what may call Wake.
  void Wait(const char* why, WokenBy by = WokenBy::kAnyone) {
    if (IsWoken()) return;
    if (!Threads::CanSuspend()) {
      while (!IsWokenAfter(kLongestSleepNanoseconds)) {
      }
      return;
    }
    const auto then = [this](typename Threads::Suspended self) {
      thread_ = self;
      std::uint32_t expected = kRunning;
      if (!state_.CompareExchange(expected, kSuspended, std::memory_order_acq_rel)) self.Resume();
    };
    Threads::Suspend(why, then, by);
  }

  // For OS threads outside of pools: waits, but `nanoseconds` at the most (about;
  // may return early). Has Wake come?
  bool IsWokenAfter(std::int64_t nanoseconds) {
    std::uint32_t expected = kRunning;
    state_.CompareExchange(expected, kAsleep, std::memory_order_acq_rel);
    if (!IsWoken()) state_.SleepWhile(kAsleep, nanoseconds);
    return IsWoken();
  }

  void Wake() {
    switch (state_.Exchange(kWoken, std::memory_order_acq_rel)) {
      case kSuspended:
        thread_.Resume();  // Until then the thread stays, and its stack with this on it.
        break;
      case kAsleep:
        state_.WakeOneSleeper();  // By the address alone: what may be gone is not read.
        break;
      default:
        break;
    }
  }

  bool IsWoken() const { return state_.Load(std::memory_order_acquire) == kWoken; }

  // To wait again. Not while it is in a list.
  void Reset() { state_.Store(kRunning, std::memory_order_relaxed); }

  // For the list that it is in.
  BasicWaiter* newer = nullptr;
  BasicWaiter* older = nullptr;
  bool queued = false;

 private:
  static constexpr std::int64_t kLongestSleepNanoseconds = 1'000'000'000;
  static constexpr std::uint32_t kRunning = 0, kSuspended = 1, kAsleep = 2, kWoken = 3;

  AtomicT<std::uint32_t> state_{kRunning};
  typename Threads::Suspended thread_{};  // the waiting one, before state_ is kSuspended
};

// The threads of pools, for BasicWaiter.
struct LightweightThreads {
  using Suspended = lwt::Suspended;
  static bool CanSuspend() { return Worker::Current() != nullptr; }
  template <typename Then>
  static void Suspend(const char* why, Then then, WokenBy by) {
    lwt::Suspend(why, std::move(then), by);
  }
};

using Waiter = BasicWaiter<Atomic, LightweightThreads>;

}  // namespace lwt
