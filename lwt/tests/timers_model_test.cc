// lwt/wait/timers.h with idle.h, condition_variable.h and event.h under every interleaving of up to
// 4 preemptions (larger programs of fewer, down to 1): no deadline is slept past, and a wake and a
// deadline that meet are one of them.
#include <gtest/gtest.h>

#include <memory>

#include "lwt/condition_variable.h"
#include "lwt/event.h"
#include "lwt/mutex.h"
#include "lwt/tests/model_threads.h"
#include "lwt/wait/timers.h"

namespace lwt {
namespace {

constexpr std::int64_t kForever = 1'000'000;
constexpr std::int64_t kDeadline = 10;

std::int64_t now = 0;  // of the running program

// A sleep with a bound ends, and that much time has passed; one without must be
// ended by another thread.
template <typename T>
class TimedAtomic : public model::Atomic<T> {
 public:
  using model::Atomic<T>::Atomic;
  void SleepWhile(T old, std::int64_t nanoseconds) {
    if (nanoseconds >= kForever) {
      model::Atomic<T>::SleepWhile(old, nanoseconds);
    } else {
      model::Step();
      now += nanoseconds;
    }
  }
};

// For locks: a thread that tries a held one waits, where a worker would come again.
template <>
class TimedAtomic<int> : public model::Atomic<int> {
 public:
  using model::Atomic<int>::Atomic;
  int Load(std::memory_order order) const {
    WaitWhile(1);
    return model::Atomic<int>::Load(order);
  }
};

struct NoFence {
  static void Light() {}
  static void Heavy() {}
};

using ModelIdle = BasicIdle<TimedAtomic, NoFence>;
using ModelTimers = BasicTimers<TimedAtomic, ModelIdle>;

// A pool as far as timers know one.
struct PoolOfSleepers {
  PoolOfSleepers() { now = 0; }
  virtual ~PoolOfSleepers() = default;

  bool HasWork() const {
    return woken.Load(std::memory_order_acquire) != 0 || work.Load(std::memory_order_acquire) != 0;
  }
  virtual void Sleep() {
    timers.Sleep([this] { return HasWork(); }, [] { return now; }, kForever);
  }
  // A worker that finds an item of work is busy with it for ever.
  void Work() {
    idle.StartSearch();
    while (true) {
      timers.FireDue(now);
      if (woken.Load(std::memory_order_acquire) != 0) break;
      if (work.Exchange(0, std::memory_order_acq_rel) != 0) break;
      Sleep();
    }
    idle.EndSearch();
  }
  // A thread that sleeps.
  void SleepUntil(std::int64_t deadline) {
    ModelWaiter self;
    model::Require(timers.WakeOrDeadline(self, deadline, "a moment", [] { return true; }),
                   "nobody else wakes it");
    model::Require(now >= deadline, "nobody sleeps too short");
    woken.Store(1, std::memory_order_release);
    idle.WakeAll();
  }
  void Produce() {
    work.Store(1, std::memory_order_release);
    idle.Notify();
  }

  ModelIdle idle;
  ModelTimers timers{idle};
  model::Atomic<int> woken{0};
  model::Atomic<int> work{0};
};

template <typename P>
model::Program OneTimer(int workers) {
  auto pool = std::make_shared<P>();
  model::Program program;
  for (int i = 0; i < workers; ++i) program.threads.push_back([=] { pool->Work(); });
  program.threads.push_back([=] { pool->SleepUntil(kDeadline); });
  return program;
}

TEST(TimersModel, AWorkerDoesNotSleepPastADeadlineThatIsAddedMeanwhile) {
  ExpectHolds([] { return OneTimer<PoolOfSleepers>(1); }, {.preemptions = 4});
}

TEST(TimersModel, AWorkerOfTwoLooksAfterTheTimer) {
  ExpectHolds([] { return OneTimer<PoolOfSleepers>(2); }, {.preemptions = 2});
}

TEST(TimersModel, AKeeperThatFindsWorkIsFollowedByAnother) {
  ExpectHolds(
      [] {
        auto pool = std::make_shared<PoolOfSleepers>();
        const auto work = [=] { pool->Work(); };
        return model::Program{
            {work, work, [=] { pool->SleepUntil(kDeadline); }, [=] { pool->Produce(); }}};
      },
      {.preemptions = 1});
}

// PoolOfSleepers without one check: does any worker keep, when this one sleeps?
struct Forgetful : PoolOfSleepers {
  void Sleep() override {
    const std::int64_t mine = timers.Keep();
    idle.Sleep([this] { return HasWork(); }, mine == kNever ? kForever : mine - now);
    timers.Leave(mine);
  }
};

TEST(TimersModel, AWorkerThatDoesNotLookForTimersAgainIsCaught) {
  ExpectCaught([] { return OneTimer<Forgetful>(1); }, {.preemptions = 4});
}

// Waits with a deadline, in the model's time.
struct Added {
  void Notify() {
    added.Store(1, std::memory_order_release);
    added.WakeAll();
  }
  model::Atomic<std::uint32_t> added{0};
};
using OtherTimers = BasicTimers<model::Atomic, Added>;
OtherTimers* other_timers = nullptr;  // of the running program

}  // namespace

template <typename GiveUp>
bool WakeOrDeadline(ModelWaiter& self, Deadline, const char* why, GiveUp give_up) {
  return other_timers->WakeOrDeadline(self, kDeadline, why, give_up);
}

// Of OS threads outside of pools: their time is over at once.
template <template <typename> class AtomicT, typename GiveUp>
bool WakeOrDeadline(BasicWaiter<AtomicT, ModelOsThreads>& self, Deadline, const char* why,
                    GiveUp give_up) {
  if (give_up()) return true;
  self.Wait(why);
  return false;
}

namespace {

TEST(TimersModel, ANotifyAndADeadlineThatMeetWakeTheWaiterOnce) {
  struct State {
    Added added;
    OtherTimers timers{added};
    BasicMutex<model::Atomic, ModelWaiter> mutex;
    BasicConditionVariable<model::Atomic, ModelWaiter> changed;
    int notified = 0, timed_out = 0;
  };
  int seen_notified = 0, seen_timed_out = 0;
  ExpectHolds(
      [&] {
        auto state = std::make_shared<State>();
        other_timers = &state->timers;
        return model::Program{
            {[=] {
               state->mutex.Lock();
               const Waited waited = state->changed.WaitUntil(state->mutex, Deadline());
               ++(waited == Waited::kNotified ? state->notified : state->timed_out);
               state->mutex.Unlock();
             },
             [=] { state->changed.NotifyOne(); },
             [=] {
               state->added.added.WaitWhile(0);
               state->timers.FireDue(kDeadline);
             }},
            [=, &seen_notified, &seen_timed_out] {
              model::Require(state->notified + state->timed_out == 1, "once");
              seen_notified += state->notified;
              seen_timed_out += state->timed_out;
              model::Require(state->timers.earliest() == kNever, "no timer is left");
            }};
      },
      {.preemptions = 2});
  EXPECT_GT(seen_notified, 0);
  EXPECT_GT(seen_timed_out, 0);
}

TEST(TimersModel, ASetAndADeadlineThatMeetWakeTheWaiterOnceAndTheOthersToo) {
  struct State {
    Added added;
    OtherTimers timers{added};
    BasicEvent<model::Atomic, ModelWaiter> event;
    bool was_set = false;
  };
  int seen_set = 0, seen_timed_out = 0;
  ExpectHolds(
      [&] {
        auto state = std::make_shared<State>();
        other_timers = &state->timers;
        return model::Program{
            {[=] {
               state->was_set = state->event.WaitUntil(Deadline());
               state->added.Notify();  // Where it was set before, no timer was added.
             },
             [=] {
               state->event.Wait();
               model::Require(state->event.IsSet(), "nobody goes on before Set");
             },
             [=] { state->event.Set(); },
             [=] {
               state->added.added.WaitWhile(0);
               state->timers.FireDue(kDeadline);
             }},
            [=, &seen_set, &seen_timed_out] {
              ++(state->was_set ? seen_set : seen_timed_out);
              model::Require(state->timers.earliest() == kNever, "no timer is left");
            }};
      },
      {.preemptions = 2});
  EXPECT_GT(seen_set, 0);
  EXPECT_GT(seen_timed_out, 0);
}

// `timed` threads give up at once, one waits as long as it takes, one sets.
template <template <typename> class AtomicT>
model::Program GiveUpAndSet(int timed) {
  using OsWaiter = BasicWaiter<AtomicT, ModelOsThreads>;
  auto event = std::make_shared<BasicEvent<AtomicT, OsWaiter>>();
  model::Program program;
  for (int i = 0; i < timed; ++i) {
    program.threads.push_back([=] {
      if (event->WaitUntil(Deadline())) model::Require(event->IsSet(), "it says so when it is");
    });
  }
  program.threads.push_back([=] {
    event->Wait();
    model::Require(event->IsSet(), "nobody goes on before Set");
  });
  program.threads.push_back([=] { event->Set(); });
  return program;
}

TEST(TimersModel, SeveralThatGiveUpLeaveTheOthersInTheList) {
  ExpectHolds([] { return GiveUpAndSet<model::Atomic>(1); }, {.preemptions = 4});
  ExpectHolds([] { return GiveUpAndSet<model::Atomic>(2); }, {.preemptions = 2});
}

TEST(TimersModel, AnEventWhoseLockIsTornIsCaught) {
  ExpectCaught([] { return GiveUpAndSet<TornAtomic>(1); }, {.preemptions = 3});
}

}  // namespace
}  // namespace lwt
