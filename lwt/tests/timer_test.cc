#include "lwt/timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""h;

class TimerTest : public WithWorkers {};
INSTANTIATE_TEST_SUITE_P(Workers, TimerTest, testing::Values(1, 2, 4));

TEST_P(TimerTest, NoThreadSleepsTooShort) {
  const auto sleep = [] {
    const Deadline before = Clock::now();
    SleepFor(3ms);
    EXPECT_GE(Clock::now() - before, 3ms);
  };
  pool_->Run(sleep);
  sleep();
}

TEST_P(TimerTest, AMomentThatHasPassedIsNotWaitedFor) {
  pool_->Run([] {
    SleepFor(-1h);
    SleepUntil(Clock::now());
  });
}

TEST_P(TimerTest, TheThreadWithTheEarlierDeadlineWakesFirst) {
  pool_->Run([] {
    const Deadline start = Clock::now();
    Mutex mutex;
    std::vector<int> order;
    Clock::duration latest{};
    std::vector<Thread> threads;
    for (int i : {3, 1, 4, 0, 2}) {
      threads.push_back(Spawn([&, i] {
        const Deadline deadline = start + 20ms * (i + 1);
        SleepUntil(deadline);
        const std::lock_guard lock(mutex);
        EXPECT_GE(Clock::now(), deadline);
        latest = std::max(latest, Clock::now() - deadline);
        order.push_back(i);
      }));
    }
    threads.clear();
    ASSERT_EQ(order.size(), 5u);
    // On several workers, or where the machine stood still, neighbors may meet.
    if (Worker::Current()->workers() == 1 && latest < 20ms) {
      EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
    }
  });
}

TEST_P(TimerTest, ManyThreadsSleepAtOnce) {
  const int woken = pool_->Run([] {
    std::atomic<int> woken{0};
    std::vector<Thread> threads;
    for (int i = 0; i < kMany; ++i) {
      threads.push_back(Spawn([&, i] {
        SleepFor(std::chrono::microseconds(20'000 + i % 5'000));
        ++woken;
      }));
    }
    threads.clear();
    return woken.load();
  });
  EXPECT_EQ(woken, kMany);
}

TEST_P(TimerTest, SleepersAreNotStarvedByThreadsThatYield) {
  pool_->Run([] {
    std::atomic<bool> woken{false};
    std::vector<Thread> busy;
    for (int i = 0; i < 2 * Worker::Current()->workers(); ++i) {
      busy.push_back(Spawn([&] {
        while (!woken) Yield();
      }));
    }
    SleepFor(2ms);
    woken = true;
  });
}

TEST(TimerAlone, ASleeperIsNotStarvedByTheOnlyOtherThread) {
  MakePool(1)->Run([] {
    std::atomic<bool> woken{false};
    Thread sleeper = Spawn([&] {
      SleepFor(2ms);
      woken = true;
    });
    while (!woken) Yield();
    sleeper.Join();
  });
}

TEST(TimerAlone, ASleeperIsNotStarvedByChildrenThatReturnAtOnce) {
  MakePool(1)->Run([] {
    std::atomic<bool> woken{false};
    Thread sleeper = Spawn([&] {
      SleepFor(2ms);
      woken = true;
    });
    while (!woken) Spawn([] {}).Join();
    sleeper.Join();
  });
}

long Fib(int n) {
  if (n < 2) return n;
  long left = 0;
  Thread child = Spawn([&] { left = Fib(n - 1); });
  const long right = Fib(n - 2);
  child.Join();
  return left + right;
}

TEST(TimerAlone, ASleeperIsNotStarvedByATreeOfChildren) {
  MakePool(1)->Run([] {
    std::atomic<bool> woken{false};
    Thread sleeper = Spawn([&] {
      SleepFor(2ms);
      woken = true;
    });
    while (!woken) EXPECT_EQ(Fib(15), 610);
    sleeper.Join();
  });
}

TEST_P(TimerTest, ADeadlineIsTakenBackWhenItsWaiterIsWoken) {
  pool_->Run([&] {
    Mutex mutex;
    ConditionVariable changed;
    bool go = false;
    Thread waiter = Spawn([&] {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.WaitFor(lock, 1h, [&] { return go; }));
    });
    {
      const std::lock_guard lock(mutex);
      go = true;
    }
    changed.NotifyAll();
    waiter.Join();
    EXPECT_EQ(pool_->timers().earliest(), kNever);
  });
}

// Processor time, not time: sleeping threads and workers cost none.
TEST_P(TimerTest, SleepingDoesNotSpin) {
  if (kSanitizersFollowStacks) GTEST_SKIP() << "sanitizers have threads of their own";
  pool_->Run([] { SleepFor(20ms); });
  const std::clock_t before = std::clock();
  pool_->Run([] {
    std::vector<Thread> threads;
    for (int i = 0; i < 100; ++i) threads.push_back(Spawn([] { SleepFor(1'000ms); }));
  });
  const double used_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  RecordProperty("processor_ms", std::to_string(used_s * 1e3));
  EXPECT_LT(used_s, 0.25) << "a spinning worker would use one second";
}

}  // namespace
}  // namespace lwt
