#include "lwt/mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""h;

class MutexTest : public WithWorkers {};
INSTANTIATE_TEST_SUITE_P(Workers, MutexTest, testing::Values(1, 2, 4));

TEST_P(MutexTest, ACountUnderTheMutexIsNeverLost) {
  const long count = pool_->Run([] {
    Mutex mutex;
    long count = 0;
    std::vector<Thread> threads;
    for (int i = 0; i < 50; ++i) {
      threads.push_back(Spawn([&] {
        for (int j = 0; j < 100; ++j) {
          const std::lock_guard lock(mutex);
          const long before = count;
          if (j % 10 == 0) Yield();  // Holding it: others must wait, not the worker.
          count = before + 1;
        }
      }));
    }
    threads.clear();
    return count;
  });
  EXPECT_EQ(count, 5'000);
}

TEST_P(MutexTest, OsThreadsOutsideTakePart) {
  Mutex mutex;
  int count = 0;
  const auto work = [&] {
    for (int i = 0; i < 1'000; ++i) {
      const std::lock_guard lock(mutex);
      ++count;
    }
  };
  std::thread outside(work);
  pool_->Run([&] {
    Thread one = Spawn(work);
    work();
    one.Join();
  });
  outside.join();
  EXPECT_EQ(count, 3'000);
}

TEST_P(MutexTest, TryLockDoesNotWait) {
  pool_->Run([] {
    Mutex mutex;
    const std::unique_lock lock(mutex);
    Spawn([&] { EXPECT_FALSE(mutex.TryLock()); }).Join();
  });
}

TEST_P(MutexTest, AnExceptionFreesIt) {
  pool_->Run([] {
    Mutex mutex;
    Thread thrower = Spawn([&] {
      const std::lock_guard lock(mutex);
      Yield();
      throw std::runtime_error("inside");
    });
    EXPECT_THROW(thrower.Join(), std::runtime_error);
    EXPECT_TRUE(mutex.TryLock());
    mutex.Unlock();
  });
}

// One worker, so that the schedule is known: the holder unlocks and locks again
// before the waiter runs, and yet the waiter gets it the next time.
TEST(MutexFairness, AWaiterThatWasWokenInVainIsHandedTheMutexNext) {
  MakePool(1)->Run([] {
    Mutex mutex;
    std::vector<int> order;
    mutex.Lock();
    Thread waiter = Spawn([&] {
      const std::lock_guard lock(mutex);
      order.push_back(1);
    });
    mutex.Unlock();  // wakes the waiter
    mutex.Lock();    // and is quicker
    order.push_back(0);
    Yield();         // The waiter runs, in vain.
    mutex.Unlock();  // hands it over
    EXPECT_FALSE(mutex.TryLock());
    waiter.Join();
    EXPECT_EQ(order, (std::vector<int>{0, 1}));
  });
}

TEST(MutexDeathTest, UnlockingAMutexThatIsNotHeldEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Mutex mutex;
  EXPECT_DEATH(mutex.Unlock(), "mutex.h:.*unlocked by the thread that holds it");
}

TEST_P(MutexTest, EveryNotifyOneIsOneThreadsTurn) {
  pool_->Run([] {
    Mutex mutex;
    ConditionVariable changed;
    int tokens = 0, taken = 0;
    std::vector<Thread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.push_back(Spawn([&] {
        std::unique_lock lock(mutex);
        changed.Wait(lock, [&] { return tokens > 0; });
        --tokens;
        ++taken;
      }));
    }
    for (int i = 0; i < 20; ++i) {
      {
        const std::lock_guard lock(mutex);
        ++tokens;
      }
      changed.NotifyOne();
    }
    threads.clear();
    EXPECT_EQ(taken, 20);
    EXPECT_EQ(tokens, 0);
  });
}

TEST_P(MutexTest, NotifyAllWakesEveryWaiter) {
  pool_->Run([] {
    Mutex mutex;
    ConditionVariable changed;
    bool go = false;
    std::atomic<int> gone{0};
    std::vector<Thread> threads;
    for (int i = 0; i < 100; ++i) {
      threads.push_back(Spawn([&] {
        std::unique_lock lock(mutex);
        changed.Wait(lock, [&] { return go; });
        ++gone;
      }));
    }
    {
      const std::lock_guard lock(mutex);
      go = true;
      changed.NotifyAll();
    }
    threads.clear();
    EXPECT_EQ(gone, 100);
  });
}

TEST_P(MutexTest, AnExceptionOfThePredicateLeavesWaitWithTheLockHeld) {
  pool_->Run([] {
    Mutex mutex;
    ConditionVariable changed;
    std::unique_lock lock(mutex);
    EXPECT_THROW(changed.Wait(lock, []() -> bool { throw std::runtime_error("no"); }),
                 std::runtime_error);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(mutex.TryLock());
    changed.NotifyAll();
  });
}

TEST_P(MutexTest, AWaitThatNobodyEndsTimesOutAndNotEarly) {
  const auto wait = [] {
    Mutex mutex;
    ConditionVariable changed;
    std::unique_lock lock(mutex);
    const Deadline before = Clock::now();
    EXPECT_EQ(changed.WaitFor(lock, 5ms), Waited::kTimedOut);
    EXPECT_GE(Clock::now() - before, 5ms);
    EXPECT_FALSE(changed.WaitFor(lock, 1ms, [] { return false; }));
    EXPECT_TRUE(lock.owns_lock());
  };
  pool_->Run(wait);
  wait();
}

TEST_P(MutexTest, AWaitThatIsNotifiedDoesNotTimeOut) {
  Mutex mutex;
  ConditionVariable changed;
  int turn = 0;
  const auto play = [&](int me) {
    for (int i = 0; i < 100; ++i) {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.WaitFor(lock, 1h, [&] { return turn == me; }));
      turn = 1 - me;
      changed.NotifyOne();
    }
  };
  pool_->Run([&] {
    Thread other = Spawn([&] { play(1); });
    play(0);
    other.Join();
  });
  std::thread outside([&] { play(1); });
  pool_->Run([&] { play(0); });
  outside.join();
}

TEST_P(MutexTest, NoThreadPassesTheBarrierBeforeAllHaveArrived) {
  pool_->Run([] {
    constexpr int kThreads = 16, kRounds = 50;
    Barrier barrier(kThreads);
    std::vector<int> rounds(kThreads, 0);
    int lasts = 0;
    std::vector<Thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.push_back(Spawn([&, i] {
        for (int round = 1; round <= kRounds; ++round) {
          rounds[i] = round;
          barrier.ArriveAndWait([&] { ++lasts; });
          EXPECT_EQ(lasts, round);
          for (int seen : rounds) EXPECT_EQ(seen, round);
          barrier.ArriveAndWait();
        }
      }));
    }
    threads.clear();
    EXPECT_EQ(lasts, kRounds);
  });
}

TEST_P(MutexTest, TenThousandThreadsMeetAtOneBarrier) {
  const int passed = pool_->Run([] {
    Barrier barrier(kMany + 1);
    std::atomic<int> passed{0};
    std::vector<Thread> threads;
    for (int i = 0; i < kMany; ++i) {
      threads.push_back(Spawn([&] {
        barrier.ArriveAndWait();
        ++passed;
      }));
    }
    EXPECT_EQ(passed, 0);
    barrier.ArriveAndWait();
    threads.clear();
    return passed.load();
  });
  EXPECT_EQ(passed, kMany);
}

TEST_P(MutexTest, AnExceptionOfTheLastArrivalReachesItAndTheOthersLeave) {
  pool_->Run([] {
    Barrier barrier(2);
    Thread first = Spawn([&] { barrier.ArriveAndWait(); });
    // On many workers either may be last; the one that is, throws.
    Thread second = Spawn([&] { barrier.ArriveAndWait([] { throw std::runtime_error("last"); }); });
    int thrown = 0;
    try {
      second.Join();
    } catch (const std::runtime_error&) {
      ++thrown;
    }
    first.Join();
    EXPECT_LE(thrown, 1);
    if (Worker::Current()->workers() == 1) {
      EXPECT_EQ(thrown, 1);
    }
  });
}

}  // namespace
}  // namespace lwt
