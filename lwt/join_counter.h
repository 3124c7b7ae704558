// One thread waits until a number of decrements have come, again and again.
//
//   lwt::JoinCounter done(2);
//   while (!converged) {
//     lwt::Spawn([&] { Left(); done.Decrement(); }).Detach();
//     lwt::Spawn([&] { Right(); done.Decrement(); }).Detach();
//     done.Wait();
//   }
//
// MassiveThreads' myth_join_counter, which can be used once only. Decrements of
// the next round may come before the Wait of this one returns.
//
// Threads: Decrement by any thread, inside and outside of pools; Wait by one
//   thread at a time, which may destroy the counter once the last round is over.
// Order: what came before the decrements of a round happens before what follows
//   its Wait (left_, then the event's word).
// Progress: Decrement is wait-free but for the waking.
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
class BasicJoinCounter {
 public:
  // `decrements` a round, at least 1.
  explicit BasicJoinCounter(std::int64_t decrements) : decrements_(decrements), left_(decrements) {
    CheckContract(decrements >= 1, "a join counter waits for one decrement or more");
  }

  void Decrement() {
    if (left_.FetchAdd(-1, std::memory_order_acq_rel) == 1) round_over_.Set();
  }

  // Returns when this round's decrements have come; the next round begins.
  void Wait() {
    round_over_.Wait("a join counter");
    // Before left_ grows: a Decrement that makes it 0 from here on sets it for the next round.
    round_over_.Reset();
    const std::int64_t before = left_.FetchAdd(decrements_, std::memory_order_acq_rel);
    if (before + decrements_ <= 0) round_over_.Set();  // That round is over already.
  }

 private:
  const std::int64_t decrements_;
  AtomicT<std::int64_t> left_;  // to come this round; below 0: of the next, already here
  BasicEvent<AtomicT, Waiter> round_over_;
};

using JoinCounter = BasicJoinCounter<Atomic, Waiter>;

}  // namespace lwt
