// The end of a call that was handed to the kernel: its completions, its deadline, and the thread
// that waits for them.
//
// A call has parts, one for each operation of the kernel's; reading has one, polling one for each
// descriptor. The first part that completes, or the deadline, whichever comes first, claims the
// call and wakes the thread. The thread then has the parts that are left cancelled, each by a
// further part, and leaves when all have completed: until then the kernel may write to the
// call's memory. A cancellation may miss its part; so the thread comes back and has it repeated.
//
//   Operation operation(1);
//   ... submit ...                            // elsewhere: operation.Complete()
//   operation.first.Wait("I/O");              // or until a deadline that calls GiveUp
//   while (operation.IsAnyLeft()) {
//     operation.Expect(1);
//     ... submit a cancellation ...
//     if (operation.Leave()) break;
//     operation.last.Wait("I/O");             // or until a moment that calls Return
//   }
//
// Threads: Complete once for each part, by any thread; GiveUp and Return by the thread that fires
//   the deadline; the rest by the waiting thread.
// Order: what came before Complete happens before what follows the waits, or an IsAnyLeft that
//   returned false (word_: acquire, release). Complete's step on word_ is the last that it does
//   with a call that it does not wake: from there on the call may be gone.
// Progress: lock-free.
//
// tests/operation_model_test.cc runs this code under every interleaving of up to 2 preemptions
// (larger programs of fewer, down to 1; one part without a deadline has no bound).
#pragma once

#include <cstdint>

#include "lwt/machine/atomic.h"
#include "lwt/waiter.h"

namespace lwt {

// A value on the stack of the waiting thread.
template <template <typename> class AtomicT, typename Waiter>
class BasicOperation {
 public:
  explicit BasicOperation(std::uint32_t parts) : word_(parts + kThread) {}

  Waiter first;  // woken by the first part, unless the deadline came before
  Waiter last;   // woken by the last part, if the thread has left before

  // One part has completed.
  void Complete() {
    std::uint32_t before = word_.Load(std::memory_order_relaxed);
    while (!word_.CompareExchange(before, (before - kPart) | kClaimed, std::memory_order_acq_rel)) {
    }
    if ((before & kClaimed) == 0) {
      first.Wake();
    } else if (before == (kClaimed | kPart)) {
      last.Wake();
    }
  }

  // At the deadline: true if from here on no part wakes `first`.
  bool GiveUp() {
    std::uint32_t before = word_.Load(std::memory_order_relaxed);
    do {
      if ((before & kClaimed) != 0) return false;
    } while (!word_.CompareExchange(before, before | kClaimed, std::memory_order_acq_rel));
    return true;
  }

  // After the wait for `first`: is there a part that has not completed?
  bool IsAnyLeft() const { return word_.Load(std::memory_order_acquire) != (kClaimed | kThread); }
  // So many more parts will complete, as cancellations.
  void Expect(std::uint32_t parts) { word_.FetchAdd(parts, std::memory_order_relaxed); }
  // The thread has submitted all. False: `last` will be woken.
  [[nodiscard]] bool Leave() {
    return !IsAnyLeft() ||
           word_.FetchAdd(-kThread, std::memory_order_acq_rel) == (kClaimed | kThread);
  }
  // After Leave: true if from here on no part wakes `last`; the thread is there again.
  bool Return() {
    std::uint32_t before = word_.Load(std::memory_order_relaxed);
    do {
      if (before == kClaimed) return false;
    } while (!word_.CompareExchange(before, before + kThread, std::memory_order_acq_rel));
    return true;
  }

 private:
  // The lower bits count the parts that have not completed, and the thread while it is there.
  static constexpr std::uint32_t kPart = 1, kThread = 1, kClaimed = kHighestBit;
  AtomicT<std::uint32_t> word_;
};

using Operation = BasicOperation<Atomic, Waiter>;

}  // namespace lwt
