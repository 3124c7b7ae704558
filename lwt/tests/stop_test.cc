// Waits with a std::stop_token, and threads that have one, on real and simulated workers.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""h;

class StopTest : public WithWorkers {};
INSTANTIATE_TEST_SUITE_P(Workers, StopTest, testing::Values(1, 2, 4));

// Each way to wait until stop is requested, for what does not happen. True: it was the stop.
struct Waits {
  Mutex mutex;
  ConditionVariable changed;
  Event event;
  Channel<int> empty{1}, full{1};

  Waits() { EXPECT_EQ(full.Send(1), Sent::kSent); }

  static constexpr int kKinds = 8;
  bool Wait(int kind, const std::stop_token& stop) {
    const auto never = [] { return false; };
    std::unique_lock lock(mutex, std::defer_lock);
    if (kind < 3) lock.lock();
    switch (kind) {
      case 0:
        return !changed.Wait(lock, stop, never) && lock.owns_lock();
      case 1:
        return !changed.WaitFor(lock, stop, 1h, never) && lock.owns_lock();
      case 2:
        return !changed.WaitUntil(lock, stop, Deadline::max(), never) && lock.owns_lock();
      case 3:
        return !event.Wait(stop);
      case 4:
        return !SleepFor(1h, stop);
      case 5:
        return !SleepUntil(Deadline::max(), stop);
      case 6:
        return !empty.Receive(stop).has_value();
      default:
        return full.Send(2, stop) == Sent::kFull;
    }
  }
};

TEST_P(StopTest, EachWaitReturnsWhenStopIsRequestedBefore) {
  Waits waits;
  std::stop_source source;
  source.request_stop();
  for (int kind = 0; kind < Waits::kKinds; ++kind) {
    EXPECT_TRUE(waits.Wait(kind, source.get_token())) << kind;
    EXPECT_TRUE(pool_->Run([&] { return waits.Wait(kind, source.get_token()); })) << kind;
  }
}

TEST_P(StopTest, EachWaitReturnsWhenALightweightThreadRequestsStop) {
  Waits waits;
  pool_->Run([&] {
    for (int kind = 0; kind < Waits::kKinds; ++kind) {
      std::stop_source source;
      Thread waiter = Spawn([&] { EXPECT_TRUE(waits.Wait(kind, source.get_token())) << kind; });
      EXPECT_FALSE(waiter.ended()) << kind;
      source.request_stop();
      waiter.Join();
    }
  });
}

TEST_P(StopTest, EachWaitReturnsWhenAThreadOutsideRequestsStop) {
  Waits waits;
  for (int kind = 0; kind < Waits::kKinds; ++kind) {
    std::stop_source source;
    Event begun;
    std::thread outside([&] {
      begun.Wait();
      std::this_thread::sleep_for(1ms);
      source.request_stop();
    });
    pool_->Run([&] {
      begun.Set();
      EXPECT_TRUE(waits.Wait(kind, source.get_token())) << kind;
    });
    outside.join();
  }
}

TEST_P(StopTest, EachWaitOfAThreadOutsideReturnsWhenALightweightThreadRequestsStop) {
  Waits waits;
  for (int kind = 0; kind < Waits::kKinds; ++kind) {
    std::stop_source source;
    std::thread outside([&] { EXPECT_TRUE(waits.Wait(kind, source.get_token())) << kind; });
    pool_->Run([&] {
      SleepFor(200us);
      source.request_stop();
    });
    outside.join();
  }
}

TEST_P(StopTest, OneRequestEndsTheWaitsOfManyThreads) {
  Waits waits;
  pool_->Run([&] {
    std::stop_source source;
    std::atomic<int> stopped{0};
    std::vector<Thread> waiters;
    for (int i = 0; i < kMany / 10; ++i) {
      waiters.push_back(
          Spawn([&, i] { stopped += waits.Wait(i % Waits::kKinds, source.get_token()); }));
    }
    source.request_stop();
    waiters.clear();
    EXPECT_EQ(stopped, kMany / 10);
  });
}

TEST_P(StopTest, WhatIsWaitedForIsReturnedThoughStopIsRequested) {
  std::stop_source source;
  source.request_stop();
  const std::stop_token stop = source.get_token();
  Mutex mutex;
  ConditionVariable changed;
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.Wait(lock, stop, [] { return true; }));
  EXPECT_TRUE(changed.WaitFor(lock, stop, 1h, [] { return true; }));
  Event event;
  event.Set();
  EXPECT_TRUE(event.Wait(stop));
  Channel<int> channel(1);
  EXPECT_EQ(channel.Send(7, stop), Sent::kSent);
  EXPECT_EQ(channel.Receive(stop), 7);
  channel.Close();
  EXPECT_EQ(channel.Send(7, stop), Sent::kClosed);
}

TEST_P(StopTest, ATokenWithoutASourceEndsNoWait) {
  pool_->Run([] {
    Mutex mutex;
    ConditionVariable changed;
    bool is_ready = false;
    Thread waiter = Spawn([&] {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.Wait(lock, std::stop_token(), [&] { return is_ready; }));
      EXPECT_FALSE(changed.WaitFor(lock, std::stop_token(), 1ms, [&] { return !is_ready; }));
    });
    mutex.Lock();
    is_ready = true;
    mutex.Unlock();
    changed.NotifyOne();
    waiter.Join();
    EXPECT_TRUE(SleepFor(1ms, std::stop_token()));
  });
}

TEST_P(StopTest, ASleepThatIsNotStoppedIsNeverTooShort) {
  std::stop_source source;
  const auto sleep = [&] {
    const Deadline before = Clock::now();
    EXPECT_TRUE(SleepFor(3ms, source.get_token()));
    EXPECT_GE(Clock::now() - before, 3ms);
    EXPECT_TRUE(SleepFor(-1h, source.get_token()));
  };
  pool_->Run(sleep);
  sleep();
}

// The requester's callbacks take no lock of the waiters'.
TEST_P(StopTest, StopIsRequestedWithTheMutexOfTheWaitersHeld) {
  pool_->Run([] {
    Mutex mutex;
    ConditionVariable changed;
    std::stop_source source;
    std::vector<Thread> waiters;
    for (int i = 0; i < 10; ++i) {
      waiters.push_back(Spawn([&] {
        std::unique_lock lock(mutex);
        EXPECT_FALSE(changed.Wait(lock, source.get_token(), [] { return false; }));
      }));
    }
    {
      const std::lock_guard lock(mutex);
      source.request_stop();
      Yield();
    }
    waiters.clear();
  });
}

TEST_P(StopTest, AWaiterWithAnotherTokenWaitsOn) {
  pool_->Run([] {
    Mutex mutex;
    ConditionVariable changed;
    std::stop_source source, other;
    int looks = 0;
    const auto wait = [&](std::stop_source& of, int* count) {
      std::unique_lock lock(mutex);
      EXPECT_FALSE(changed.Wait(lock, of.get_token(), [&] {
        if (count != nullptr) ++*count;
        return false;
      }));
    };
    Thread waiter = Spawn([&] { wait(source, nullptr); });
    Thread waits_on = Spawn([&] { wait(other, &looks); });
    source.request_stop();
    waiter.Join();
    EXPECT_FALSE(waits_on.ended());
    other.request_stop();
    waits_on.Join();
    EXPECT_EQ(looks, 2);  // before it waited, and when it was stopped
  });
}

TEST_P(StopTest, AHandleRequestsStopAndJoinsWhenItIsDestroyed) {
  bool is_stopped = false;
  pool_->Run([&] {
    StoppableThread thread = Spawn([&](std::stop_token stop) {
      EXPECT_FALSE(SleepFor(1h, stop));
      is_stopped = stop.stop_requested();
    });
    EXPECT_TRUE(thread.joinable());
  });
  EXPECT_TRUE(is_stopped);
}

TEST_P(StopTest, AHandleThatIsAssignedToRequestsStopOfItsThreadAndJoinsIt) {
  pool_->Run([] {
    std::array<bool, 2> is_stopped{};
    const auto body = [&](int i) {
      return [&is_stopped, i](std::stop_token stop) { is_stopped[i] = !SleepFor(1h, stop); };
    };
    StoppableThread thread = Spawn(body(0));
    thread = Spawn(body(1));
    EXPECT_EQ(is_stopped, (std::array{true, false}));
    StoppableThread moved = std::move(thread);
    EXPECT_FALSE(thread.joinable());
    EXPECT_FALSE(thread.RequestStop());
    EXPECT_FALSE(is_stopped[1]);
    moved = StoppableThread();
    EXPECT_EQ(is_stopped, (std::array{true, true}));
  });
}

TEST_P(StopTest, JoinRequestsNoStopAndThrowsWhatTheBodyThrew) {
  pool_->Run([] {
    StoppableThread thread = Spawn([](std::stop_token stop) {
      EXPECT_TRUE(SleepFor(1ms, stop));
      throw std::runtime_error("thrown");
    });
    EXPECT_THROW(thread.Join(), std::runtime_error);
    EXPECT_FALSE(thread.joinable());
    EXPECT_FALSE(thread.stop_source().stop_requested());
  });
}

TEST_P(StopTest, OthersRequestStopByTheHandlesSource) {
  pool_->Run([] {
    StoppableThread thread = Spawn([](std::stop_token stop) { EXPECT_FALSE(SleepFor(1h, stop)); });
    std::thread outside([source = thread.stop_source()]() mutable { source.request_stop(); });
    thread.Join();
    outside.join();
    EXPECT_FALSE(thread.RequestStop());
  });
}

TEST_P(StopTest, ADetachedThreadIsStoppedByItsSource) {
  std::atomic<bool> is_stopped{false};
  pool_->Run([&] {
    std::stop_source source;
    {
      StoppableThread thread =
          Spawn([&](std::stop_token stop) { is_stopped = !SleepFor(1h, stop); });
      source = thread.stop_source();
      thread.Detach();
    }
    EXPECT_FALSE(is_stopped);
    source.request_stop();
    while (!is_stopped) Yield();
  });
}

TEST_P(StopTest, ABodyThatCanBeCalledWithoutATokenIs) {
  pool_->Run([] {
    const auto either = [](auto&&... arguments) { EXPECT_EQ(sizeof...(arguments), 0u); };
    auto plain = Spawn(either);
    static_assert(std::is_same_v<decltype(plain), Thread>);
    struct Body {
      void operator()(std::stop_token stop) && { EXPECT_TRUE(stop.stop_possible()); }
      std::unique_ptr<int> cannot_be_copied = nullptr;
    };
    auto stoppable = Spawn(Body());
    static_assert(std::is_same_v<decltype(stoppable), StoppableThread>);
  });
}

TEST(StopAlone, ASimulatedThreadSleepsUntilStopIsRequested) {
  auto pool = Pool::Create({.workers = 4, .seed = 1, .simulation = SimulationOptions{}});
  ASSERT_TRUE(pool.ok()) << pool.status();
  (*pool)->Run([] {
    const Deadline start = Now();
    std::vector<StoppableThread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.push_back(Spawn([](std::stop_token stop) {
        int turns = 0;
        while (SleepFor(1h, stop)) ++turns;
        EXPECT_EQ(turns, 10);
      }));
    }
    SleepFor(630min);
    for (StoppableThread& thread : threads) thread.RequestStop();
    threads.clear();
    EXPECT_LT(Now() - start, 11h);
  });
}

// Stops, notifies, deadlines and items meet at any moment; each thread returns, and nothing is
// lost. OS threads outside take part where the pool is not simulated.
void Meet(Pool& pool, int round) {
  constexpr int kThreads = 8, kItems = 4;
  Mutex mutex;
  ConditionVariable changed;
  Event event;
  Channel<int> channel(2);
  std::stop_source source;
  int tickets = 0;  // guarded by mutex
  std::atomic<int> taken{0}, received{0}, sent{0};
  std::atomic<bool> may_stop{false};
  const auto use = [&](int i) {
    const std::stop_token stop = source.get_token();
    switch (i % 4) {
      case 0: {
        std::unique_lock lock(mutex);
        const auto has_ticket = [&] { return tickets > 0; };
        while (i % 8 == 0 ? changed.Wait(lock, stop, has_ticket)
                          : changed.WaitFor(lock, stop, 100us * (round % 3), has_ticket)) {
          --tickets;
          ++taken;
        }
        break;
      }
      case 1:
        while (channel.Receive(stop)) ++received;
        break;
      case 2:
        for (int item = 0; item < kItems; ++item) sent += channel.Send(item, stop) == Sent::kSent;
        break;
      default:
        EXPECT_TRUE(event.Wait(stop) || stop.stop_requested());
        while (SleepFor(50us, stop)) {
        }
    }
  };
  std::vector<std::thread> outside;
  if (!pool.is_simulated()) {
    outside.emplace_back([&] { use(round); });
    outside.emplace_back([&] {
      while (!may_stop) std::this_thread::yield();
      source.request_stop();
    });
  }
  pool.Run([&] {
    std::vector<Thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.push_back(Spawn([&, i] { use(i); }));
    if (round % 2 == 0) may_stop = true;
    for (int i = 0; i < kItems; ++i) {
      {
        const std::lock_guard lock(mutex);
        ++tickets;
      }
      changed.NotifyOne();
    }
    if (round % 4 != 0) event.Set();
    may_stop = true;
    if (pool.is_simulated() || round % 3 == 0) {
      threads.push_back(Spawn([&] { source.request_stop(); }));
    }
    threads.clear();
  });
  for (std::thread& thread : outside) thread.join();
  EXPECT_EQ(taken + tickets, kItems);
  EXPECT_EQ(static_cast<std::size_t>(sent), received + channel.size());
}

TEST_P(StopTest, StopsAndWhatIsWaitedForMeet) {
  for (int round = 0; round < 150; ++round) Meet(*pool_, round);
}

// All workers are flows of one OS thread: the standard library cannot tell a waiter that is woken
// from the thread that still wakes it.
TEST(StopAlone, StopsAndWhatIsWaitedForMeetOnSimulatedWorkers) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto pool = Pool::Create({.workers = 4, .seed = seed, .simulation = SimulationOptions{}});
    ASSERT_TRUE(pool.ok()) << pool.status();
    for (int round = 0; round < 6; ++round) Meet(**pool, round);
  }
}

}  // namespace
}  // namespace lwt
