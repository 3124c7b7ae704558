// Deadlocks of mutexes (lwt/kernel/owner.h, wait_cycle.h), with the code of mutex.h and of
// c/owned_lock.h under every interleaving of up to 3 preemptions (larger programs of fewer, down to
// 1): each is found when the last thread of it begins to wait, and nothing else is reported as one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "lwt/c/owned_lock.h"
#include "lwt/event.h"
#include "lwt/kernel/owner.h"
#include "lwt/mutex.h"
#include "lwt/tests/model_marks.h"
#include "lwt/tests/model_threads.h"
#include "topo/spin_lock.h"

namespace lwt {
namespace {

constexpr int kMost = 3;  // threads, and mutexes

// What the threads of one run do, as a test sees it: exact, because nothing runs
// between a step and what follows it.
struct Facts;
Facts* facts = nullptr;

struct ModelThread {
  int number = 0;
  model::Atomic<std::uintptr_t> awaits{0};
};

struct ModelCall {
  model::Atomic<ModelThread*> thread{nullptr};
  ModelThread* runner() { return thread.Load(std::memory_order_acquire); }
};

struct ModelPool {
  using Thread = ModelThread;
  using Call = ModelCall;
  static void Mark(model::Atomic<std::uintptr_t>& mark);
  static Thread* Self();
  static void CheckOutsider(std::uintptr_t) {}
  static topo::BasicSpinLock<model::Atomic>& Graph(const Thread& thread);
  static model::Atomic<std::int64_t>& MutexWaits(const Thread& thread);
  static Thread* Marked(std::uintptr_t mark, const Thread& asker);
  static void OnCycle(const Thread& self, std::span<Thread* const> cycle);
};

using ModelOwner = BasicOwner<model::Atomic, ModelPool>;

// An owner whose mark stays when the mutex is free: broken on purpose.
struct StaleOwner : ModelOwner {
  void Clear() {}
};
// One that says for what it waits, and does not look.
struct BlindOwner : ModelOwner {
  void BeginWait() {
    ModelThread& self = *ModelPool::Self();
    ModelPool::MutexWaits(self).FetchAdd(+1, std::memory_order_seq_cst);
    self.awaits.Store(reinterpret_cast<std::uintptr_t>(static_cast<ModelOwner*>(this)),
                      std::memory_order_release);
  }
};

// An owner whose calls still name the thread that ran them when they have ended.
struct StaleCalls : ModelOwner {};

struct Facts {
  std::array<ModelThread, kMost> threads;
  topo::BasicSpinLock<model::Atomic> graph;
  model::Atomic<std::int64_t> mutex_waits{0};
  std::array<int, kMost> wants = {-1, -1, -1};   // by thread: the mutex that it is in Lock of
  std::array<int, kMost> joins = {-1, -1, -1};   // by thread: the thread whose end it waits for
  std::array<int, kMost> holder = {-1, -1, -1};  // by mutex
  int found = 0;
  std::function<void(int)> give_up;  // frees what that thread holds
};

// A multiple of 8, as owned_lock.h needs it.
std::uintptr_t MarkOfSelf() {
  return (static_cast<std::uintptr_t>(ModelPool::Self()->number) + 1) * 8;
}
void ModelPool::Mark(model::Atomic<std::uintptr_t>& mark) {
  mark.Store(MarkOfSelf(), std::memory_order_relaxed);
}
ModelThread* ModelPool::Self() {
  return &facts->threads[static_cast<std::size_t>(model::CurrentThread())];
}
topo::BasicSpinLock<model::Atomic>& ModelPool::Graph(const ModelThread&) { return facts->graph; }
model::Atomic<std::int64_t>& ModelPool::MutexWaits(const ModelThread&) {
  return facts->mutex_waits;
}
ModelThread* ModelPool::Marked(std::uintptr_t mark, const ModelThread&) {
  return mark < 8 ? nullptr : &facts->threads[mark / 8 - 1];
}

void ModelPool::OnCycle(const ModelThread& self, std::span<ModelThread* const> cycle) {
  int at = self.number;
  for (ModelThread* const next : cycle) {
    const auto waiter = static_cast<std::size_t>(at);
    const int joined = facts->joins[waiter];
    const int wanted = facts->wants[waiter];
    model::Require(joined >= 0 || wanted >= 0, "who is said to wait does");
    at = joined >= 0 ? joined : facts->holder[static_cast<std::size_t>(wanted)];
    model::Require(at == next->number, "and for whom it is said to");
  }
  model::Require(at == self.number, "a cycle comes back to where it began");
  ++facts->found;
  // So that the run goes on: a program would have ended.
  for (const ModelThread* const thread : cycle) facts->give_up(thread->number);
}

// A thread takes these mutexes in their order, keeps them all, and frees them. What
// is below 0 is a thread that it joins: -1 the first, ...; or, less kOfCall, one whose forked
// call it waits for.
constexpr int kOfCall = 10;
// Ends the call that the thread runs: from there on it is another thread, of the same descriptor.
constexpr int kEndsItsCall = 100;
using Steps = std::vector<int>;

// The mutexes of these threads: lwt's own, and those of C programs.
template <typename Owner>
struct MutexOf : BasicMutex<model::Atomic, ModelWaiter, Owner> {};
struct OwnedOwner : ModelOwner {};
struct OwnedThreads {
  using Waiter = BasicWaiter<model::Atomic, ImpatientThreads>;
  using Owner = OwnedOwner;
  using Sanitizer = NoSanitizer;
  static std::uintptr_t Mark() { return MarkOfSelf(); }
};
template <>
struct MutexOf<OwnedOwner> : c::BasicOwnedLock<model::Atomic, OwnedThreads> {
  MutexOf() : BasicOwnedLock(kNormal) {}
};

template <typename Owner>
model::Program Run(const std::vector<Steps>& threads, int rounds, int least_found, int most_found) {
  struct State : Facts {
    std::array<MutexOf<Owner>, kMost> mutexes;
    std::array<BasicEvent<model::Atomic, ModelWaiter>, kMost> ended;
    std::array<ModelCall, kMost> calls;
  };
  auto state = std::make_shared<State>();
  facts = state.get();
  for (int i = 0; i < kMost; ++i) state->threads[static_cast<std::size_t>(i)].number = i;
  state->give_up = [raw = state.get()](int thread) {
    for (std::size_t i = 0; i < kMost; ++i) {
      if (raw->holder[i] != thread) continue;
      raw->holder[i] = -1;
      raw->mutexes[i].Unlock();
    }
  };
  const auto is_called = [threads](int thread) {
    return std::any_of(threads.begin(), threads.end(), [&](const Steps& steps) {
      return std::find(steps.begin(), steps.end(), -thread - 1 - kOfCall) != steps.end();
    });
  };
  const auto end_call = [state](std::size_t thread) {
    if constexpr (!std::is_same_v<Owner, StaleCalls>) {
      state->calls[thread].thread.Store(nullptr, std::memory_order_release);
    }
    state->ended[thread].Set();
  };
  model::Program program;
  for (int thread = 0; thread < static_cast<int>(threads.size()); ++thread) {
    program.threads.push_back([=, steps = threads[static_cast<std::size_t>(thread)]] {
      const auto me = static_cast<std::size_t>(thread);
      if (is_called(thread)) {
        state->calls[me].thread.Store(&state->threads[me], std::memory_order_release);
      }
      for (int round = 0; round < rounds; ++round) {
        for (const int step : steps) {
          if (step < 0) {
            const auto joined = static_cast<std::size_t>((-step - 1) % kOfCall);
            if (state->ended[joined].IsSet()) continue;
            state->joins[me] = static_cast<int>(joined);
            if (-step > kOfCall) {
              Owner::BeginCall(state->calls[joined]);
              state->ended[joined].Wait();
              Owner::EndCall();
            } else {
              Owner::BeginJoin(state->threads[joined]);
              state->ended[joined].Wait();
              Owner::EndJoin();
            }
            state->joins[me] = -1;
            continue;
          }
          if (step == kEndsItsCall) {
            end_call(me);
            continue;
          }
          const auto wanted = static_cast<std::size_t>(step);
          state->wants[me] = step;
          state->mutexes[wanted].Lock();
          state->wants[me] = -1;
          model::Require(state->holder[wanted] == -1, "one thread holds a mutex");
          state->holder[wanted] = thread;
        }
        state->give_up(thread);
      }
      end_call(me);
    });
  }
  program.check = [=] {
    model::Require(state->found >= least_found, "a deadlock is found");
    model::Require(state->found <= most_found, "what is none is not found");
    for (const ModelThread& thread : state->threads) {
      model::Require(thread.awaits.Load(std::memory_order_relaxed) == 0, "nobody waits at the end");
    }
    model::Require(state->mutex_waits.Load(std::memory_order_relaxed) == 0, "nor is counted");
  };
  return program;
}

template <typename Owner = ModelOwner>
std::function<model::Program()> Of(std::vector<Steps> threads, int rounds, int least_found,
                                   int most_found) {
  return [=] { return Run<Owner>(threads, rounds, least_found, most_found); };
}

// A deadlock that is not found ends a run as one: the explorer calls that a failure.
void ExpectEachHolds(const std::vector<Steps>& threads, int rounds, int least_found, int most_found,
                     const model::Limits& limits) {
  ExpectHolds(Of<ModelOwner>(threads, rounds, least_found, most_found), limits);
  ExpectHolds(Of<OwnedOwner>(threads, rounds, least_found, most_found), limits);
}

TEST(OwnerModel, TwoThreadsThatTakeTwoMutexesInOppositeOrdersAreFoundOnceIfTheyMeet) {
  ExpectEachHolds({{0, 1}, {1, 0}}, 1, 0, 1, {.preemptions = 3});
}

TEST(OwnerModel, TheSameOrderIsNeverADeadlock) {
  ExpectEachHolds({{0, 1}, {0, 1}}, 1, 0, 0, {.preemptions = 2});
  ExpectEachHolds({{0, 1}, {0, 1}}, 2, 0, 0, {.preemptions = 1});
  ExpectEachHolds({{0, 1}, {1}, {0}}, 1, 0, 0, {.preemptions = 2});
}

TEST(OwnerModel, AHandOverIsNoDeadlock) {
  ExpectEachHolds({{0}, {0}, {0}}, 2, 0, 0, {.preemptions = 1});
  ExpectEachHolds({{0}, {0}}, 3, 0, 0, {.preemptions = 2});
}

TEST(OwnerModel, ThreeThreadsInACircleAreFound) {
  ExpectEachHolds({{0, 1}, {1, 2}, {2, 0}}, 1, 0, 1, {.preemptions = 2});
}

TEST(OwnerModel, AThreadThatLocksAMutexTwiceIsFound) {
  // It gives up what it has, and so gets it.
  ExpectEachHolds({{0, 0}, {1}}, 1, 1, 1, {.preemptions = 3});
}

TEST(OwnerModel, AJoinerOfWhoWantsItsMutexIsFoundWhoeverWaitsLast) {
  ExpectEachHolds({{0, -2}, {0}}, 1, 0, 1, {.preemptions = 3});
  ExpectEachHolds({{0, -2}, {1, 0}, {1}}, 1, 0, 1, {.preemptions = 2});
}

TEST(OwnerModel, AJoinerThatHoldsNothingIsNoDeadlock) {
  ExpectEachHolds({{-2, 0}, {0}}, 1, 0, 0, {.preemptions = 3});
}

TEST(OwnerModel, AForkerOfWhoWantsItsMutexIsFoundWhoeverWaitsLast) {
  ExpectEachHolds({{0, -2 - kOfCall}, {0}}, 1, 0, 1, {.preemptions = 3});
  ExpectEachHolds({{0, -2 - kOfCall}, {1, 0}, {1}}, 1, 0, 1, {.preemptions = 2});
}

TEST(OwnerModel, AForkerThatHoldsNothingIsNoDeadlock) {
  ExpectEachHolds({{-2 - kOfCall, 0}, {0}}, 1, 0, 0, {.preemptions = 3});
}

TEST(OwnerModel, AThreadInTheDescriptorOfAnEndedCallIsNoDeadlock) {
  const std::vector<Steps> threads = {{0, -2 - kOfCall}, {kEndsItsCall, 0}};
  ExpectEachHolds(threads, 1, 0, 0, {.preemptions = 3});
  ExpectCaught(Of<StaleCalls>(threads, 1, 0, 0), {.preemptions = 3});
}

TEST(OwnerModel, AMarkThatStaysOnAFreeMutexIsCaught) {
  ExpectCaught(Of<StaleOwner>({{0, 1}, {0, 1}, {1, 0}}, 1, 0, 1), {.preemptions = 2});
}

TEST(OwnerModel, AThreadThatDoesNotLookForCyclesIsCaught) {
  ExpectCaught(Of<BlindOwner>({{0, 1}, {1, 0}}, 1, 0, 1), {.preemptions = 3});
}

}  // namespace
}  // namespace lwt
