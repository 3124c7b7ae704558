// Real threads on real atomics; meant for ThreadSanitizer. Bounded by counts.
// What is shared is plain memory: TSan sees it where the waiting does not order it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

constexpr int kWorkers = 4;

TEST(SyncStress, EventsOnStacksAreSetFromOutsideAndGone) {
  const auto pool = MakePool(kWorkers);
  constexpr int kRounds = 2'000;
  struct Request {
    int value = 0;
    Event done;
  };
  Channel<Request*> requests(2);
  std::thread outside([&] {
    while (const auto request = requests.Receive()) {
      (*request)->value = 1;
      (*request)->done.Set();  // From here on the request may be gone.
    }
  });
  const int sum = pool->Run([&] {
    std::atomic<int> sum{0};
    std::vector<Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.push_back(Spawn([&] {
        for (int i = 0; i < kRounds / 4; ++i) {
          Request request;
          if (requests.Send(&request) != Sent::kSent) return;
          request.done.Wait();
          sum += request.value;
        }
      }));
    }
    threads.clear();
    requests.Close();
    return sum.load();
  });
  outside.join();
  EXPECT_EQ(sum, kRounds);
}

TEST(SyncStress, TheMutexOrdersWhatIsUnderIt) {
  const auto pool = MakePool(kWorkers);
  Mutex mutex;
  long count = 0;
  const auto work = [&] {
    for (int i = 0; i < 2'000; ++i) {
      const std::lock_guard lock(mutex);
      ++count;
    }
  };
  std::thread outside(work);
  pool->Run([&] {
    std::vector<Thread> threads;
    for (int t = 0; t < 8; ++t) threads.push_back(Spawn(work));
  });
  outside.join();
  EXPECT_EQ(count, 9 * 2'000);
}

TEST(SyncStress, TheBarrierOrdersRounds) {
  const auto pool = MakePool(kWorkers);
  constexpr int kThreads = 12, kRounds = 200;
  pool->Run([] {
    Barrier barrier(kThreads);
    std::vector<int> cells(kThreads, 0);
    std::vector<Thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.push_back(Spawn([&, t] {
        for (int round = 1; round <= kRounds; ++round) {
          cells[t] = round;
          barrier.ArriveAndWait();
          for (int cell : cells) ASSERT_EQ(cell, round);
          barrier.ArriveAndWait();
        }
      }));
    }
  });
}

TEST(SyncStress, LatchesAndJoinCountersOrderWhatCameBefore) {
  const auto pool = MakePool(kWorkers);
  pool->Run([] {
    JoinCounter counter(4);
    for (int round = 0; round < 500; ++round) {
      Latch latch(4);
      int cells[4] = {}, others[4] = {};
      std::vector<Thread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.push_back(Spawn([&, t] {
          cells[t] = 1;
          latch.CountDown();
          others[t] = 1;
          counter.Decrement();
        }));
      }
      latch.Wait();
      ASSERT_EQ(cells[0] + cells[1] + cells[2] + cells[3], 4);
      counter.Wait();
      ASSERT_EQ(others[0] + others[1] + others[2] + others[3], 4);
    }
  });
}

TEST(SyncStress, DeadlinesAndNotifiesMeet) {
  const auto pool = MakePool(kWorkers);
  constexpr int kRounds = 300;
  std::atomic<int> timed_out{0}, notified{0};
  pool->Run([&] {
    Mutex mutex;
    ConditionVariable changed;
    std::vector<Thread> threads;
    std::atomic<int> left{8};
    for (int t = 0; t < 8; ++t) {
      threads.push_back(Spawn([&, t] {
        for (int i = 0; i < kRounds; ++i) {
          std::unique_lock lock(mutex);
          const auto timeout = std::chrono::microseconds(10 * ((t + i) % 10));
          ++(changed.WaitFor(lock, timeout) == Waited::kTimedOut ? timed_out : notified);
        }
        --left;
      }));
    }
    while (left > 0) {
      changed.NotifyOne();
      SleepFor(std::chrono::microseconds(15));
    }
  });
  EXPECT_EQ(timed_out + notified, 8 * kRounds);
}

TEST(SyncStress, DeadlinesAndSetsMeet) {
  const auto pool = MakePool(kWorkers);
  constexpr int kRounds = 300, kThreads = 8;
  std::atomic<int> ended{0};
  for (int round = 0; round < kRounds; ++round) {
    Event event;
    int value = 0;
    const auto wait = [&](int i) {
      if (event.WaitFor(std::chrono::microseconds(20 * (i % 5)))) {
        EXPECT_EQ(value, round);
      }
      ++ended;
    };
    std::thread outside([&] { wait(1); });
    pool->Run([&] {
      std::vector<Thread> threads;
      for (int i = 0; i < kThreads; ++i) threads.push_back(Spawn([&, i] { wait(i); }));
      threads.push_back(Spawn([&] {
        event.Wait();
        EXPECT_EQ(value, round);
        ++ended;
      }));
      threads.push_back(Spawn([&] {
        SleepFor(std::chrono::microseconds(5 * (round % 16)));
        value = round;
        event.Set();
      }));
    });
    outside.join();
  }
  EXPECT_EQ(ended, kRounds * (kThreads + 2));
}

TEST(SyncStress, CellsPassValuesOn) {
  const auto pool = MakePool(kWorkers);
  // Each hop adds one to a value that two never share.
  constexpr int kHops = 8, kValues = 300;
  const long sum = pool->Run([] {
    std::vector<std::unique_ptr<FullEmptyCell<std::unique_ptr<int>>>> cells;
    for (int i = 0; i <= kHops; ++i) {
      cells.push_back(std::make_unique<FullEmptyCell<std::unique_ptr<int>>>());
    }
    std::vector<Thread> threads;
    for (int hop = 0; hop < kHops; ++hop) {
      threads.push_back(Spawn([&, hop] {
        for (int i = 0; i < kValues; ++i) {
          auto value = cells[hop]->ReadAndEmpty();
          ++*value;
          cells[hop + 1]->WriteWhenEmpty(std::move(value));
        }
      }));
    }
    threads.push_back(Spawn([&] {
      for (int i = 0; i < kValues; ++i) cells[0]->WriteWhenEmpty(std::make_unique<int>(i));
    }));
    long sum = 0;
    for (int i = 0; i < kValues; ++i) {
      const int value = *cells[kHops]->ReadAndEmpty();
      EXPECT_EQ(value, i + kHops);
      sum += value;
    }
    return sum;
  });
  EXPECT_EQ(sum, kValues * (kValues - 1) / 2 + kValues * kHops);
}

}  // namespace
}  // namespace lwt
