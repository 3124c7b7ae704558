// lwt/waiter.h, event.h, latch.h and join_counter.h under every interleaving of up to 3 preemptions
// (larger programs of fewer, down to 2; most programs have no bound).
#include <gtest/gtest.h>

#include <memory>

#include "lwt/event.h"
#include "lwt/join_counter.h"
#include "lwt/latch.h"
#include "lwt/tests/model_threads.h"

namespace lwt {
namespace {

// One waits, another wakes it, at any moment.
template <typename Waiter>
model::Program WaitAndWake() {
  auto waiter = std::make_shared<Waiter>();
  auto happened = std::make_shared<bool>(false);
  return {{[=] {
             waiter->Wait("a test");
             model::Require(*happened, "nobody goes on before the wake");
           },
           [=] {
             *happened = true;
             waiter->Wake();
           }}};
}

TEST(WaiterModel, AWakeBeforeOrAfterTheWaitIsNeverLost) { ExpectHolds(WaitAndWake<ModelWaiter>); }

TEST(WaiterModel, AWakeOfAnOsThreadIsNeverLost) { ExpectHolds(WaitAndWake<ModelOsWaiter>); }

TEST(WaiterModel, AWaiterWhoseExchangeIsTornIsCaught) {
  ExpectCaught(WaitAndWake<BasicWaiter<TornAtomic, ModelThreads>>);
  ExpectCaught(WaitAndWake<BasicWaiter<TornAtomic, ModelOsThreads>>);
}

// `waiters` threads wait and `setters` set.
template <template <typename> class AtomicT, typename Waiter>
model::Program WaitAndSet(int waiters, int setters) {
  auto event = std::make_shared<BasicEvent<AtomicT, Waiter>>();
  auto sets = std::make_shared<int>(0);
  model::Program program;
  for (int i = 0; i < waiters; ++i) {
    program.threads.push_back([=] {
      event->Wait();
      model::Require(*sets > 0, "nobody goes on before Set");
      model::Require(event->IsSet(), "an event stays set");
    });
  }
  for (int i = 0; i < setters; ++i) {
    program.threads.push_back([=] {
      ++*sets;
      event->Set();
    });
  }
  return program;
}

TEST(EventModel, OfTwoSetsOneWakesTheWaiter) {
  ExpectHolds([] { return WaitAndSet<model::Atomic, ModelWaiter>(1, 2); });
}

TEST(EventModel, EveryWaiterIsWokenOnce) {
  ExpectHolds([] { return WaitAndSet<model::Atomic, ModelWaiter>(2, 2); }, {.preemptions = 3});
}

TEST(EventModel, OsThreadsAreWokenToo) {
  ExpectHolds([] { return WaitAndSet<model::Atomic, ModelOsWaiter>(2, 2); }, {.preemptions = 2});
}

TEST(EventModel, AnEventWhoseExchangeIsTornIsCaught) {
  ExpectCaught([] { return WaitAndSet<TornAtomic, ModelWaiter>(1, 1); });
}

// The event belongs to the thread that waits for it, and goes with it.
model::Program DestroyedByItsWaiter() {
  using Event = BasicEvent<model::Atomic, ModelWaiter>;
  auto event = std::make_shared<std::unique_ptr<Event>>(std::make_unique<Event>());
  Event* const known = event->get();
  return {{[=] {
             known->Wait();
             event->reset();  // What touches it now is seen by AddressSanitizer.
           },
           [=] { known->Set(); }}};
}

TEST(EventModel, TheWaiterMayDestroyTheEventWhileSetReturns) { ExpectHolds(DestroyedByItsWaiter); }

template <template <typename> class AtomicT>
model::Program CountDownByTwo() {
  auto latch = std::make_shared<BasicLatch<AtomicT, ModelWaiter>>(2);
  auto counted = std::make_shared<int>(0);
  const auto count = [=] {
    ++*counted;
    latch->CountDown();
  };
  return {{[=] {
             latch->Wait();
             model::Require(*counted == 2, "a latch opens with the last count");
           },
           count, count}};
}

TEST(LatchModel, OpensWithTheLastCountAndNotBefore) { ExpectHolds(CountDownByTwo<model::Atomic>); }

TEST(LatchModel, ALatchWhoseCountIsTornIsCaught) { ExpectCaught(CountDownByTwo<TornAtomic>); }

// Two threads decrement `rounds` times each; one waits for two a round.
template <template <typename> class AtomicT>
model::Program JoinRounds(int rounds) {
  auto counter = std::make_shared<BasicJoinCounter<AtomicT, ModelWaiter>>(2);
  auto decrements = std::make_shared<int>(0);
  const auto decrement = [=] {
    for (int round = 0; round < rounds; ++round) {
      ++*decrements;
      counter->Decrement();
    }
  };
  return {{[=] {
             for (int round = 1; round <= rounds; ++round) {
               counter->Wait();
               model::Require(*decrements >= 2 * round, "a round ends with its last decrement");
             }
           },
           decrement, decrement}};
}

TEST(JoinCounterModel, EveryRoundEndsWithItsLastDecrement) {
  ExpectHolds([] { return JoinRounds<model::Atomic>(1); });
  ExpectHolds([] { return JoinRounds<model::Atomic>(2); }, {.preemptions = 3});
}

TEST(JoinCounterModel, DecrementsOfALaterRoundAreKept) {
  ExpectHolds([] {
    auto counter = std::make_shared<BasicJoinCounter<model::Atomic, ModelWaiter>>(1);
    return model::Program{{[=] {
                             counter->Wait();
                             counter->Wait();
                             counter->Wait();
                           },
                           [=] {
                             for (int i = 0; i < 3; ++i) counter->Decrement();
                           }}};
  });
}

TEST(JoinCounterModel, ACounterWhoseCountIsTornIsCaught) {
  ExpectCaught([] { return JoinRounds<TornAtomic>(1); });
}

}  // namespace
}  // namespace lwt
