#include "lwt/spawn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

std::unique_ptr<Pool> MakePool(int workers) {
  auto pool = Pool::Create({.workers = workers});
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

int Fib(int n) {
  if (n < 2) return n;
  int left = 0;
  Thread child = Spawn([&] { left = Fib(n - 1); });
  const int right = Fib(n - 2);
  child.Join();
  return left + right;
}

int ForkedFib(int n) {
  if (n < 2) return n;
  int left = 0, right = 0;
  ForkJoin([&] { left = ForkedFib(n - 1); }, [&] { right = ForkedFib(n - 2); });
  return left + right;
}

class WithWorkers : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Pool> pool_ = MakePool(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, WithWorkers, testing::Values(1, 2, 4));

TEST_P(WithWorkers, ATreeOfThreadsComputesWhatTheSerialProgramDoes) {
  EXPECT_EQ(pool_->Run([] { return Fib(20); }), 6765);
}

TEST_P(WithWorkers, ATreeOfForkedCallsComputesWhatTheSerialProgramDoes) {
  EXPECT_EQ(pool_->Run([] { return ForkedFib(22); }), 17711);
}

TEST_P(WithWorkers, ManyThreadsAreJoinedInAnyOrder) {
  const int sum = pool_->Run([] {
    std::atomic<int> sum{0};
    std::vector<Thread> threads;
    for (int i = 1; i <= 1000; ++i) threads.push_back(Spawn([&sum, i] { sum += i; }));
    for (std::size_t i = 0; i < threads.size(); i += 2) threads[i].Join();
    threads.clear();
    return sum.load();
  });
  EXPECT_EQ(sum, 500500);
}

TEST(WithOneWorker, TheChildRunsBeforeWhatFollowsItsSpawn) {
  MakePool(1)->Run([] {
    int order = 0, child_at = 0;
    Thread child = Spawn([&] { child_at = ++order; });
    EXPECT_EQ(++order, 2);
    child.Join();
    EXPECT_EQ(child_at, 1);
  });
}

TEST_P(WithWorkers, AnExceptionReachesTheJoiner) {
  pool_->Run([] {
    Thread child = Spawn([] { throw std::runtime_error("from the child"); });
    try {
      child.Join();
      ADD_FAILURE() << "Join did not throw";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "from the child");
    }
  });
}

TEST_P(WithWorkers, AnExceptionLeavesPoolRun) {
  EXPECT_THROW(pool_->Run([] { throw std::out_of_range("gone"); }), std::out_of_range);
}

TEST_P(WithWorkers, AYieldInsideACatchDoesNotMixExceptionsUp) {
  const int wrong = pool_->Run([] {
    std::atomic<int> wrong{0};
    std::vector<Thread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.push_back(Spawn([&wrong, i] {
        try {
          throw i;
        } catch (int first) {
          for (int round = 0; round < 3; ++round) Yield();
          try {
            throw;
          } catch (int second) {
            if (second != i || first != i) ++wrong;
          }
        }
      }));
    }
    for (Thread& thread : threads) thread.Join();
    return wrong.load();
  });
  EXPECT_EQ(wrong, 0);
}

TEST(WithOneWorker, AParentThatIsReadyForAnotherReasonIsNotLost) {
  MakePool(1)->Run([] {
    Suspended waiting;
    int ended = 0;
    Thread first = Spawn([&] {
      Suspend("a test", [&](Suspended self) { waiting = self; });
      ++ended;
    });
    // Runs before its parent goes on, and then so does the first one, which finds
    // their parent at the head: suspended by the second spawn, not by its own.
    Thread second = Spawn([&] { waiting.Resume(); });
    first.Join();
    second.Join();
    EXPECT_EQ(ended, 1);
  });
}

TEST_P(WithWorkers, AThreadThatWasCreatedRunsWhenItIsPushed) {
  pool_->Run([] {
    int ran = 0;
    Created created = Create([&] { ran = 1; });
    EXPECT_EQ(ran, 0);
    Worker::Current()->Push(std::move(created.ready));
    created.thread.Join();
    EXPECT_EQ(ran, 1);
  });
}

TEST_P(WithWorkers, AThreadThatIsDroppedTellsItsJoiner) {
  pool_->Run([] {
    auto token = std::make_shared<int>(1);
    Created created = Create([token] { FAIL() << "it must not run"; });
    EXPECT_EQ(token.use_count(), 2);
    created.ready = ReadyThread();
    EXPECT_EQ(token.use_count(), 1) << "its body is destroyed";
    EXPECT_THROW(created.thread.Join(), Dropped);
  });
}

TEST(Detached, ThePoolWaitsForThemAndForThoseThatSleep) {
  std::atomic<int> ended{0};
  {
    const auto pool = MakePool(2);
    pool->Run([&] {
      for (int i = 0; i < 20; ++i) {
        Spawn([&] {
          Yield();
          SleepFor(std::chrono::milliseconds(5));
          ++ended;
        }).Detach();
      }
    });
  }
  EXPECT_EQ(ended, 20);
}

TEST(Detached, AThreadThatOutlivesItsParentIsNotTakenForAChildOfTheNext) {
  const auto pool = MakePool(1);
  pool->Run([] {
    for (int i = 0; i < 100; ++i) {
      Event go;
      Event ended;
      Spawn([&] {
        Spawn([&] {
          go.Wait();
          ended.Set();
        }).Detach();
      }).Join();
      // It has the descriptor that the parent had.
      bool went_on = false;
      Spawn([&] {
        Spawn([&] { go.Set(); }).Join();
        went_on = true;
      }).Join();
      EXPECT_TRUE(went_on);
      ended.Wait();
    }
  });
}

TEST(Detached, AThreadThatIsDroppedHoldsUpNoOther) {
  {
    const auto pool = MakePool(2);
    pool->Run([] {
      auto [thread, ready] = Create([] { ADD_FAILURE() << "it was dropped"; });
      thread.Detach();
    });
  }
  SUCCEED() << "the pool has ended";
}

TEST(Fairness, ChildrenThatYieldEndThoughTheirParentGoesOnSpawning) {
  const auto pool = MakePool(1);
  pool->Run([] {
    int ended = 0, spawned = 0;
    while (ended < 20 && spawned < 20'000) {
      ++spawned;
      Spawn([&] {
        Yield();
        ++ended;
      }).Detach();
    }
    EXPECT_GE(ended, 20);
    while (ended < spawned) Yield();
  });
}

TEST(Fairness, ThePopOfAProgramIsTheNewestAlways) {
  const auto pool = MakePool(1);
  pool->Run([] {
    Worker& self = Worker::Here();
    auto [put, ready] = Create([] {});
    self.victim(0).Put(std::move(ready));
    auto [pushed, newest] = CreateWithHint(7, [] {});
    for (int i = 0; i < 3'000; ++i) {
      self.Push(std::move(newest));
      newest = self.Pop();
      ASSERT_EQ(newest.hint<int>(), 7);
    }
    self.Push(std::move(newest));
  });
}

TEST(Fairness, TwoThreadsThatWakeEachOtherDoNotKeepOthersOut) {
  const auto pool = MakePool(1);
  pool->Run([] {
    Channel<int> there(1), back(1);
    bool stop = false;
    Thread echo = Spawn([&] {
      while (std::optional<int> got = there.Receive()) (void)back.Send(*got);
    });
    // One waits in the inbox, as a thread woken from outside, one at the deque's tail.
    auto [put, ready] = Create([&] { Spawn([&] { stop = true; }).Join(); });
    Worker::Here().victim(0).Put(std::move(ready));
    auto [pushed, also_ready] = Create([&] {});
    Worker::Here().Push(std::move(also_ready));
    int rounds = 0;
    while ((!stop || !pushed.ended()) && rounds < 100'000) {
      (void)there.Send(++rounds);
      (void)back.Receive();
    }
    EXPECT_TRUE(stop);
    EXPECT_TRUE(pushed.ended());
    there.Close();
  });
}

// P spawns C spawns G on worker a. What is left of C is moved to worker b, in queues
// only, where G ends: C goes on there, and must not take itself for a child on a.
TEST(Moved, AChildThatGoesOnElsewhereEndsThere) {
  const std::vector<double> never(4, 0.0);
  const auto pool = *Pool::Create({.workers = 2, .policy = WeightedVictim(2, never)});
  std::atomic<bool> g_runs{false}, taken{false}, g_waits{false}, p_is_back{false}, c_ends{false};
  const auto await = [](const std::atomic<bool>& flag) {
    while (!flag) Pause();
  };
  Suspended g;
  ReadyThread rest_of_p;
  pool->Run([&] {
    const int a = WorkerIndex(), b = 1 - a;
    Created on_a = Create([&] {
      Worker::Here().Push(std::move(rest_of_p));
      p_is_back = true;
      await(c_ends);
      // C would take P from here now, if it took itself for a child on this worker.
      const auto start = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(20)) Pause();
    });
    Created on_b = Create([&] {
      Worker& self = Worker::Here();
      await(g_runs);
      rest_of_p = self.victim(a).Take();
      ReadyThread rest_of_c = self.victim(a).Take();
      EXPECT_EQ(rest_of_p.depth(), 0);
      EXPECT_EQ(rest_of_c.depth(), 1);
      self.victim(a).Put(std::move(on_a.ready));
      taken = true;
      await(g_waits);
      await(p_is_back);
      self.Push(std::move(rest_of_c));
      g.Resume();
    });
    Worker::Here().victim(b).Put(std::move(on_b.ready));
    Thread c = Spawn([&] {
      Spawn([&] {
        g_runs = true;
        await(taken);
        Suspend(
            "its resumption",
            [&](Suspended self) {
              g = self;
              g_waits = true;
            },
            WokenBy::kThreads);
      }).Join();
      EXPECT_EQ(WorkerIndex(), b);
      c_ends = true;
    });
    EXPECT_EQ(Depth(), 0) << "this is P";
    EXPECT_EQ(WorkerIndex(), a);
    c.Join();
  });
}

// A body whose copies spawn and wait: the spawn that copies it must not rely on
// where it was before.
struct Restless {
  Restless() = default;
  Restless(const Restless&) {
    std::vector<Thread> threads;
    for (int i = 0; i < 300; ++i) threads.push_back(Spawn([] { Yield(); }));
  }
  void operator()() const { ++runs; }
  static inline std::atomic<int> runs{0};
};

TEST_P(WithWorkers, ABodyMaySpawnAndWaitWhileItIsCopied) {
  Restless::runs = 0;
  pool_->Run([] {
    const Restless restless;
    TaskGroup group;
    for (int i = 0; i < 5; ++i) {
      Thread thread = Spawn(restless);
      group.Run(restless);
      thread.Join();
    }
    group.Wait();
  });
  EXPECT_EQ(Restless::runs, 10);
}

TEST_P(WithWorkers, ManyCallersMayRunAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> sum{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] { sum += pool_->Run([] { return Fib(12); }); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 144);
}

TEST(Pool, RefusesAbsurdNumbersOfWorkers) {
  EXPECT_TRUE(absl::IsInvalidArgument(Pool::Create({.workers = -1}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Pool::Create({.workers = 1 << 20}).status()));
}

// errno is the OS thread's; each lightweight thread finds behind a wait what it left there.
[[gnu::noinline]] int Errno() { return errno; }
[[gnu::noinline]] void SetErrno(int value) { errno = value; }

TEST(Errno, IsTheThreadsOwnBehindAWait) {
  MakePool(2)->Run([] {
    for (int i = 1; i <= 100; ++i) {
      std::atomic<bool> goes_on{false};
      Thread child = Spawn([&] {
        while (!goes_on) Yield();
        SetErrno(1000);
      });
      SetErrno(i);
      goes_on = true;
      child.Join();
      EXPECT_EQ(Errno(), i);
    }
  });
}

}  // namespace
}  // namespace lwt
