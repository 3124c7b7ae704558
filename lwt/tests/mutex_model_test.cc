// lwt/mutex.h, condition_variable.h and barrier.h under every interleaving of up to 5 preemptions
// (larger programs of fewer, down to 1).
#include <gtest/gtest.h>

#include <memory>

#include "lwt/barrier.h"
#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "lwt/tests/model_threads.h"

namespace lwt {
namespace {

// Each thread enters `rounds` times; only one is ever inside.
template <template <typename> class AtomicT, typename Waiter>
model::Program Enter(int threads, int rounds) {
  struct State {
    BasicMutex<AtomicT, Waiter> mutex;
    int inside = 0;
    int entered = 0;
  };
  auto state = std::make_shared<State>();
  model::Program program;
  for (int i = 0; i < threads; ++i) {
    program.threads.push_back([=] {
      for (int round = 0; round < rounds; ++round) {
        state->mutex.Lock();
        model::Require(++state->inside == 1, "one thread is inside");
        model::Step();
        --state->inside;
        ++state->entered;
        state->mutex.Unlock();
      }
    });
  }
  program.check = [=] {
    model::Require(state->entered == threads * rounds, "each thread gets in");
    model::Require(state->mutex.TryLock(), "it is free at the end");
  };
  return program;
}

TEST(MutexModel, AThreadIsInsideAloneAndAllGetThere) {
  ExpectHolds([] { return Enter<model::Atomic, ModelWaiter>(2, 1); }, {.preemptions = 5});
  ExpectHolds([] { return Enter<model::Atomic, ModelWaiter>(2, 2); }, {.preemptions = 3});
}

TEST(MutexModel, ThreeThreadsGetIn) {
  ExpectHolds([] { return Enter<model::Atomic, ModelWaiter>(3, 1); }, {.preemptions = 2});
  ExpectHolds([] { return Enter<model::Atomic, ModelWaiter>(3, 2); }, {.preemptions = 1});
}

TEST(MutexModel, OsThreadsGetIn) {
  ExpectHolds([] { return Enter<model::Atomic, ModelOsWaiter>(2, 2); }, {.preemptions = 2});
}

TEST(MutexModel, AMutexWhoseReadModifyWritesAreTornIsCaught) {
  ExpectCaught([] { return Enter<TornAtomic, ModelWaiter>(2, 1); }, {.preemptions = 3});
}

// A box that one thread fills and another waits for.
template <typename NotifyAndUnlock>
std::function<model::Program()> FillAndWait(NotifyAndUnlock notify) {
  struct State {
    BasicMutex<model::Atomic, ModelWaiter> mutex;
    BasicConditionVariable<model::Atomic, ModelWaiter> changed;
    bool full = false;
  };
  return [notify] {
    auto state = std::make_shared<State>();
    return model::Program{{[=] {
                             state->mutex.Lock();
                             state->changed.Wait(state->mutex, [&] { return state->full; });
                             state->mutex.Unlock();
                           },
                           [=] {
                             state->mutex.Lock();
                             state->full = true;
                             notify(*state);
                           }}};
  };
}

TEST(ConditionVariableModel, ANotifyWithOrWithoutTheMutexIsNotMissed) {
  const auto inside = [](auto& state) {
    state.changed.NotifyOne();
    state.mutex.Unlock();
  };
  const auto outside = [](auto& state) {
    state.mutex.Unlock();
    state.changed.NotifyAll();
  };
  ExpectHolds(FillAndWait(inside), {.preemptions = 4});
  ExpectHolds(FillAndWait(outside), {.preemptions = 4});
}

TEST(ConditionVariableModel, ANotifyThatComesBeforeTheChangeIsCaught) {
  ExpectCaught([] {
    auto mutex = std::make_shared<BasicMutex<model::Atomic, ModelWaiter>>();
    auto changed = std::make_shared<BasicConditionVariable<model::Atomic, ModelWaiter>>();
    auto full = std::make_shared<bool>(false);
    return model::Program{{[=] {
                             mutex->Lock();
                             changed->Wait(*mutex, [&] { return *full; });
                             mutex->Unlock();
                           },
                           [=] {
                             changed->NotifyOne();
                             mutex->Lock();
                             *full = true;
                             mutex->Unlock();
                           }}};
  });
}

TEST(ConditionVariableModel, NotifyAllWakesBoth) {
  ExpectHolds(
      [] {
        auto mutex = std::make_shared<BasicMutex<model::Atomic, ModelWaiter>>();
        auto changed = std::make_shared<BasicConditionVariable<model::Atomic, ModelWaiter>>();
        auto full = std::make_shared<bool>(false);
        const auto wait = [=] {
          mutex->Lock();
          changed->Wait(*mutex, [&] { return *full; });
          mutex->Unlock();
        };
        return model::Program{{wait, wait, [=] {
                                 mutex->Lock();
                                 *full = true;
                                 mutex->Unlock();
                                 changed->NotifyAll();
                               }}};
      },
      {.preemptions = 2});
}

template <template <typename> class AtomicT>
model::Program Synchronize(int threads, int rounds) {
  struct State {
    explicit State(int threads) : barrier(threads), arrived(threads, 0) {}
    BasicBarrier<AtomicT, ModelWaiter> barrier;
    std::vector<int> arrived;
    int lasts = 0;
  };
  auto state = std::make_shared<State>(threads);
  model::Program program;
  for (int thread = 0; thread < threads; ++thread) {
    program.threads.push_back([=] {
      for (int round = 1; round <= rounds; ++round) {
        state->arrived[thread] = round;
        state->barrier.ArriveAndWait([&] {
          for (int seen : state->arrived) model::Require(seen == round, "the last comes last");
          ++state->lasts;
        });
        model::Require(state->lasts >= round, "nobody leaves before the last one's call");
        for (int seen : state->arrived) {
          model::Require(seen >= round && seen <= round + 1, "nobody is two rounds ahead");
        }
      }
    });
  }
  program.check = [=] { model::Require(state->lasts == rounds, "one is last each round"); };
  return program;
}

TEST(BarrierModel, NoThreadLeavesBeforeAllHaveArrived) {
  ExpectHolds([] { return Synchronize<model::Atomic>(2, 2); }, {.preemptions = 4});
  ExpectHolds([] { return Synchronize<model::Atomic>(3, 2); }, {.preemptions = 2});
}

TEST(BarrierModel, ABarrierWhoseLockIsTornIsCaught) {
  ExpectCaught([] { return Synchronize<TornAtomic>(2, 1); });
}

}  // namespace
}  // namespace lwt
