// Where a number of threads wait for each other, round after round.
//
//   lwt::Barrier barrier(threads);
//   for (int step = 0; step < steps; ++step) {
//     Sweep(mine);
//     barrier.ArriveAndWait();
//   }
//
// The threads may be many more than the workers: a waiting thread is suspended. For the OS threads
// of a mapping there is topo's barrier, which spins.
//
// Threads: exactly `threads` threads call ArriveAndWait each round, inside and
//   outside of pools. Destroy when all have returned.
// Order: what a thread did before ArriveAndWait in a round happens before what
//   any of them does after it (lock_; then the waking).
// Progress: blocking. An arrival holds a spin lock for a few instructions.
//
// tests/mutex_model_test.cc runs this code under every interleaving of up to 5 preemptions (larger
// programs of fewer, down to 1).
#pragma once

#include <utility>

#include "absl/base/thread_annotations.h"
#include "lwt/contract.h"
#include "lwt/machine/atomic.h"
#include "lwt/wait/wait_list.h"
#include "lwt/waiter.h"
#include "topo/spin_lock.h"

namespace lwt {

// A value.
template <template <typename> class AtomicT, typename Waiter>
class BasicBarrier {
 public:
  // `threads`: at least 1.
  explicit BasicBarrier(int threads) : threads_(threads) {
    CheckContract(threads >= 1, "a barrier is for one thread or more");
  }
  BasicBarrier(const BasicBarrier&) = delete;
  BasicBarrier& operator=(const BasicBarrier&) = delete;

  void ArriveAndWait() {
    ArriveAndWait([] {});
  }

  // The last thread to arrive calls `last()` before any thread leaves. What `last` throws reaches
  // its caller, and the others leave.
  template <typename Last>
  void ArriveAndWait(Last last) {
    Waiter self;
    lock_.Lock();
    if (++arrived_ < threads_) {
      waiting_.Add(self);
      lock_.Unlock();
      self.Wait("a barrier");
      return;
    }
    WaitList<Waiter> others = std::move(waiting_);
    arrived_ = 0;
    lock_.Unlock();
    try {
      last();
    } catch (...) {
      others.WakeAll();
      throw;
    }
    others.WakeAll();
  }

 private:
  const int threads_;
  topo::BasicSpinLock<AtomicT> lock_;
  int arrived_ ABSL_GUARDED_BY(lock_) = 0;
  WaitList<Waiter> waiting_ ABSL_GUARDED_BY(lock_);
};

using Barrier = BasicBarrier<Atomic, Waiter>;

}  // namespace lwt
