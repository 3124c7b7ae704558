#include "lwt/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/stuck.h"

namespace lwt {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ns;
using ::testing::HasSubstr;

// A balanced tree of 2^n leaves of 10 us each.
std::int64_t Leaves(int n) {
  if (n == 0) {
    Compute(10'000);
    return 1;
  }
  std::int64_t left = 0;
  Thread child = Spawn([&] { left = Leaves(n - 1); });
  const std::int64_t right = Leaves(n - 1);
  child.Join();
  return left + right;
}

struct Outcome {
  std::int64_t leaves = 0;
  double nanoseconds = 0;
  std::int64_t steals = 0;
  std::vector<std::int64_t> by_depth;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::unique_ptr<Pool> Simulated(int workers, std::uint64_t seed = 1) {
  auto pool = Pool::Create({.workers = workers, .seed = seed, .simulation = SimulationOptions{}});
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

Outcome RunTree(int workers, std::uint64_t seed) {
  const auto pool = Simulated(workers, seed);
  Outcome outcome;
  outcome.leaves = pool->Run([] { return Leaves(10); });
  outcome.nanoseconds = pool->simulated_ns();
  outcome.by_depth.assign(kMostDepths, 0);
  for (int i = 0; i < workers; ++i) {
    const Counters& counters = pool->worker(i).counters();
    outcome.steals += counters.steals.value();
    for (std::size_t depth = 0; depth < kMostDepths; ++depth) {
      outcome.by_depth[depth] += counters.steals_by_depth[depth].value();
    }
  }
  return outcome;
}

TEST(Simulation, TheSameSeedGivesTheSameScheduleToTheLastSteal) {
  EXPECT_EQ(RunTree(32, 7), RunTree(32, 7));
}

TEST(Simulation, AnotherSeedGivesAnotherSchedule) {
  const Outcome one = RunTree(32, 1);
  const Outcome two = RunTree(32, 2);
  EXPECT_EQ(one.leaves, two.leaves);
  EXPECT_NE(one.by_depth, two.by_depth);
}

TEST(Simulation, ThirtyTwoWorkersAreNearlyThirtyTwoTimesAsFast) {
  const Outcome one = RunTree(1, 1);
  const Outcome many = RunTree(32, 1);
  EXPECT_EQ(one.leaves, 1024);
  EXPECT_EQ(one.steals, 0);
  EXPECT_GE(one.nanoseconds, 1024 * 10'000 * 0.99);
  EXPECT_GT(many.steals, 31);
  EXPECT_GT(one.nanoseconds / many.nanoseconds, 24);
  EXPECT_LE(one.nanoseconds / many.nanoseconds, 32.5);
}

TEST(Simulation, StealsByDepthAddUpToTheSteals) {
  const Outcome outcome = RunTree(8, 3);
  std::int64_t sum = 0;
  for (const std::int64_t steals : outcome.by_depth) sum += steals;
  EXPECT_EQ(sum, outcome.steals);
}

TEST(Simulation, ForkedCallsAreStolenToo) {
  const auto pool = Simulated(4);
  struct Sum {
    static std::int64_t Of(int n) {
      if (n == 0) {
        Compute(5'000);
        return 1;
      }
      std::int64_t left = 0, right = 0;
      ForkJoin([&] { left = Of(n - 1); }, [&] { right = Of(n - 1); });
      return left + right;
    }
  };
  EXPECT_EQ(pool->Run([] { return Sum::Of(8); }), 256);
  EXPECT_LT(pool->simulated_ns(), 256 * 5'000 / 3.0);
}

TEST(Simulation, OthersThatFindNothingWhileOneComputesAreNoDeadlock) {
  const auto pool = Simulated(2);
  pool->Run([] {
    for (int i = 0; i < 10'000; ++i) Compute(3'700);
  });
  EXPECT_GT(pool->simulated_ns(), 9'000 * 3'700.0);
}

TEST(Simulation, AThreadThatComputesForLongIsNoDeadlock) {
  const auto pool = Simulated(32);
  pool->Run([] { Compute(1e6); });
  EXPECT_GT(pool->simulated_ns(), 0.9e6);
}

TEST(Simulation, AThreadThatEndsAfterALongComputationLeavesSleepersThatAreNoDeadlock) {
  auto pool = Simulated(12);
  pool->Run([] {
    Thread sleeper = Spawn([] { SleepFor(std::chrono::seconds(1)); });
    Thread computer = Spawn([] { Compute(5e6); });
    sleeper.Join();
    computer.Join();
  });
  EXPECT_GE(pool->simulated_ns(), 1e9);
}

TEST(Simulation, AThreadThatIsOnItsWayToAThiefIsNoDeadlock) {
  // While the thief brings it home, the other worker looks in vain ten thousand times.
  SimulationOptions slow_steals;
  slow_steals.costs.look_ns = 1;
  slow_steals.costs.steal_ns = 3e4;
  const auto pool = *Pool::Create({.workers = 2, .simulation = slow_steals});
  bool ran = false;
  pool->Run([&] {
    auto [thread, ready] = Create([&] { ran = true; });
    Worker::Here().Push(std::move(ready));
    Compute(1000);
    EXPECT_EQ(Worker::Here().victim(0).size() + Worker::Here().victim(1).size(), 0)
        << "it is taken";
    EXPECT_FALSE(ran);
    thread.Join();
  });
  EXPECT_TRUE(ran);
}

TEST(Simulation, AThreadThatYieldsUntilAnotherWorkerHasDoneSomethingSeesIt) {
  const auto pool = Simulated(2);
  bool done = false;
  std::int64_t yields = 0;
  pool->Run([&] {
    Thread other = Spawn([&] {
      Compute(1e5);
      done = true;
    });
    for (; !done && yields < 1'000'000; ++yields) Yield();
    other.Join();
  });
  EXPECT_TRUE(done);
  EXPECT_LT(yields, 1'000'000) << "a yield takes time";
}

TEST(Simulation, ThreadsThatAllWaitAreADeadlockAndAreListed) {
  const auto pool = Simulated(3);
  try {
    pool->Run([] {
      Thread stuck = Spawn([] { Suspend("a thing that never comes", [](Suspended) {}); },
                           {.name = "the stuck one"});
      stuck.Join();
    });
    FAIL() << "Run returned";
  } catch (const Deadlock& deadlock) {
    EXPECT_THAT(deadlock.what(), HasSubstr("the stuck one (depth 1) waits for a thing that never"));
    EXPECT_THAT(deadlock.what(), HasSubstr("Pool::Run (depth 0) waits for the end of a thread"));
  }
}

TEST(Simulation, NoOutsideThreadWakesAThreadThatWaitsForAnother) {
  const auto pool = Simulated(2);
  try {
    // The threads cannot be joined, so `stuck` is never destroyed.
    alignas(StuckThreads) static std::byte stuck[sizeof(StuckThreads)];
    pool->Run([] { (new (stuck) StuckThreads)->Join(); });
    FAIL() << "Run returned";
  } catch (const Deadlock& deadlock) {
    for (const char* thread : kStuckThreads) EXPECT_THAT(deadlock.what(), HasSubstr(thread));
  }
}

struct Slept {
  std::vector<int> order;
  std::vector<std::chrono::nanoseconds> late;  // in that order
  double nanoseconds = 0;
  std::string trace;
  friend bool operator==(const Slept&, const Slept&) = default;
};

// Five threads of a pool sleep for one to five hours.
Slept Sleep(int workers, std::uint64_t seed) {
  const auto pool = *Pool::Create({.workers = workers,
                                   .seed = seed,
                                   .trace_events = 100'000,
                                   .simulation = SimulationOptions{}});
  Slept slept;
  pool->Run([&] {
    const Deadline start = Now();
    std::vector<Thread> threads;
    for (const int i : {3, 1, 4, 0, 2}) {
      threads.push_back(Spawn([&, i] {
        SleepUntil(start + (i + 1) * 1h);
        slept.order.push_back(i);
        slept.late.push_back(Now() - start - (i + 1) * 1h);
      }));
    }
  });
  slept.nanoseconds = pool->simulated_ns();
  slept.trace = ToChromeTrace(pool->TraceEvents(), slept.nanoseconds);
  return slept;
}

TEST(Simulation, HoursOfSleepPassAtOnceAndInTheOrderOfTheirDeadlines) {
  for (const int workers : {1, 2, 32}) {
    const Slept slept = Sleep(workers, 1);
    EXPECT_EQ(slept.order, (std::vector<int>{0, 1, 2, 3, 4})) << workers;
    for (const auto late : slept.late) {
      EXPECT_GE(late, 0ns) << workers;
      EXPECT_LT(late, 10us) << workers;
    }
    EXPECT_NEAR(slept.nanoseconds, 5 * 3600e9, 1e6) << workers;
  }
}

TEST(Simulation, TheSameSeedGivesTheSameTraceOfSleepers) {
  EXPECT_EQ(Sleep(4, 7), Sleep(4, 7));
  EXPECT_NE(Sleep(4, 7), Sleep(4, 8));
}

TEST(Simulation, ADeadlineIsMetWhileOthersCompute) {
  const auto pool = Simulated(2);
  pool->Run([] {
    const Deadline start = Now();
    std::chrono::nanoseconds slept{};
    Thread sleeper = Spawn([&] {
      SleepFor(1ms);
      slept = Now() - start;
    });
    for (int i = 0; i < 10'000; ++i) Compute(1'000);
    EXPECT_GE(slept, 1ms);
    EXPECT_LT(slept, 1ms + 10us) << "the other worker has nothing else to do";
    EXPECT_GE(Now() - start, 9ms);
  });
}

TEST(Simulation, AWaitWithADeadlineEndsByTheVirtualClock) {
  const auto pool = Simulated(2);
  pool->Run([] {
    Mutex mutex;
    ConditionVariable changed;
    const std::lock_guard lock(mutex);
    EXPECT_EQ(changed.WaitFor(mutex, 1h), Waited::kTimedOut);
  });
  EXPECT_NEAR(pool->simulated_ns(), 3600e9, 1e6);
}

TEST(Simulation, AWaiterForASleeperIsNoDeadlockUntilItHasSlept) {
  const auto pool = Simulated(2);
  EXPECT_THROW(pool->Run([] {
    Thread sleeper = Spawn([] { SleepFor(1h); });
    sleeper.Join();
    Event never;
    never.Wait();
  }),
               Deadlock);
  EXPECT_NEAR(pool->simulated_ns(), 3600e9, 1e7);
}

TEST(Simulation, AThreadThatSleepsForEverIsDeadlocked) {
  const auto pool = Simulated(1);
  EXPECT_THROW(pool->Run([] { SleepUntil(Deadline::max()); }), Deadlock);
}

TEST(Simulation, ExceptionsArriveAsOnRealWorkers) {
  const auto pool = Simulated(2);
  EXPECT_THROW(pool->Run([] {
    Thread child = Spawn([] {
      Compute(1000);
      throw std::runtime_error("late");
    });
    child.Join();
  }),
               std::runtime_error);
  EXPECT_EQ(pool->Run([] { return 5; }), 5) << "and the pool goes on";
}

TEST(Simulation, AnyOsThreadMayRunItOneAfterTheOther) {
  const auto pool = Simulated(4);
  const auto throw_across_a_yield = [&] {
    pool->Run([] {
      Thread child = Spawn([] {
        try {
          throw 1;
        } catch (int) {
          Yield();
          try {
            throw;
          } catch (int again) {
            EXPECT_EQ(again, 1);
          }
        }
      });
      child.Join();
    });
  };
  std::thread(throw_across_a_yield).join();
  std::thread(throw_across_a_yield).join();
  throw_across_a_yield();
}

TEST(Simulation, DetachedThreadsEndBeforeThePool) {
  int ended = 0;
  {
    const auto pool = Simulated(2);
    pool->Run([&] {
      Spawn([&] {
        SleepFor(std::chrono::hours(1));
        ++ended;
      }).Detach();
    });
  }
  EXPECT_EQ(ended, 1);
}

TEST(Simulation, ADeadlockOfMutexesIsFoundWithBothNamesWhileAThirdThreadSleepsForHours) {
  const auto pool = Simulated(2);
  // Their owners are gone with the pool's stacks: both stay locked, and are never destroyed.
  static Mutex& of_left = *new Mutex;
  static Mutex& of_right = *new Mutex;
  const auto take = [](Mutex& mine, Mutex& other) {
    return [&mine, &other] {
      const std::lock_guard first(mine);
      SleepFor(1us);
      const std::lock_guard second(other);
    };
  };
  try {
    pool->Run([&] {
      Thread third = Spawn([] { SleepFor(100h); });
      Thread left = Spawn(take(of_left, of_right), {.name = "the left"});
      Thread right = Spawn(take(of_right, of_left), {.name = "the right"});
      left.Join();
    });
    FAIL() << "Run returned";
  } catch (const Deadlock& deadlock) {
    const auto waits = [](const std::string& waiter, const void* mutex, const std::string& holder) {
      return HasSubstr(waiter + " (depth 1) waits for the mutex at " +
                       testing::PrintToString(mutex) + " that " + holder + " (depth 1) holds\n");
    };
    EXPECT_THAT(deadlock.what(), waits("the left", &of_right, "the right"));
    EXPECT_THAT(deadlock.what(), waits("the right", &of_left, "the left"));
  }
  EXPECT_LT(pool->simulated_ns(), 1e6) << "at once";
}

TEST(Simulation, NothingRunsAfterADeadlock) {
  const auto pool = Simulated(2);
  const auto stuck = [] { Event().Wait(); };
  EXPECT_THROW(pool->Run(stuck), Deadlock);
  EXPECT_THROW(pool->Run([] { ADD_FAILURE() << "it ran"; }), Deadlock);
}

}  // namespace
}  // namespace lwt
