// Waits until a number of things have happened, once.
//
//   lwt::Latch loaded(3);
//   for (File& file : files) lwt::Spawn([&] { file.Load(); loaded.CountDown(); }).Detach();
//   loaded.Wait();
//
// Threads: any, inside and outside of pools, for every member. A thread that returns from
//   Wait may destroy the latch, even while the last CountDown is about to return.
// Order: what came before each CountDown happens before what follows Wait, or
//   IsOpen() == true (left_: acquire, release through the chain of read-modify-writes;
//   then the event's word).
// Progress: CountDown is wait-free but for the waking.
//
// tests/event_model_test.cc runs this code under every interleaving of up to 3 preemptions (larger
// programs of fewer, down to 2; most programs have no bound).
#pragma once

#include <cstdint>

#include "lwt/contract.h"
#include "lwt/event.h"
#include "lwt/machine/atomic.h"
#include "lwt/waiter.h"

namespace lwt {

// A value.
template <template <typename> class AtomicT, typename Waiter>
class BasicLatch {
 public:
  // Open at once if `count` is 0. Precondition: count >= 0.
  explicit BasicLatch(std::int64_t count) : left_(count) {
    CheckContract(count >= 0, "a latch counts down from 0 or more");
    if (count == 0) open_.Set();
  }

  // Precondition: count >= 1, and no more than are left.
  void CountDown(std::int64_t count = 1) {
    CheckContract(count >= 1, "a latch is counted down by 1 or more");
    const std::int64_t before = left_.FetchAdd(-count, std::memory_order_acq_rel);
    CheckContract(before >= count, "a latch is counted down to 0 and no further");
    if (before == count) open_.Set();
  }

  bool IsOpen() const { return open_.IsSet(); }
  void Wait() { open_.Wait("a latch"); }
  void ArriveAndWait() {
    CountDown();
    Wait();
  }

 private:
  AtomicT<std::int64_t> left_;
  BasicEvent<AtomicT, Waiter> open_;
};

using Latch = BasicLatch<Atomic, Waiter>;

}  // namespace lwt
