// lwt::Once on real and simulated workers.
#include "lwt/once.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

using OnceTest = WithWorkers;
INSTANTIATE_TEST_SUITE_P(Workers, OnceTest, testing::Values(1, 2, 4));

int Fib(int n) {
  if (n < 2) return n;
  int left = 0;
  Thread child = Spawn([&left, n] { left = Fib(n - 1); });
  const int right = Fib(n - 2);
  child.Join();
  return left + right;
}

// With a function's static variable this hangs.
TEST_P(OnceTest, ATableIsMadeInParallelByWhoeverAsksFirst) {
  for (int round = 0; round < 20; ++round) {
    Once once;
    std::vector<int> table;
    std::atomic<int> made{0};
    pool_->Run([&] {
      std::vector<Thread> threads;
      for (int i = 0; i < 16; ++i) {
        threads.push_back(Spawn([&] {
          once.Call([&] {
            ++made;
            table.assign(1, Fib(12));
            SleepFor(std::chrono::microseconds(100));
          });
          EXPECT_EQ(table.at(0), 144);
        }));
      }
      for (Thread& thread : threads) thread.Join();
    });
    EXPECT_EQ(made, 1);
    EXPECT_TRUE(once.IsDone());
  }
}

TEST_P(OnceTest, WhatTheFunctionThrowsComesOutOfThatCallAndAnotherThreadTries) {
  Once once;
  std::atomic<int> calls{0}, thrown{0};
  pool_->Run([&] {
    std::vector<Thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.push_back(Spawn([&] {
        try {
          once.Call([&] {
            Yield();
            if (++calls <= 3) throw std::runtime_error("not yet");
          });
          EXPECT_EQ(calls, 4);
        } catch (const std::runtime_error&) {
          ++thrown;
        }
      }));
    }
    for (Thread& thread : threads) thread.Join();
  });
  EXPECT_EQ(thrown, 3);
  EXPECT_EQ(calls, 4);
}

TEST_P(OnceTest, OsThreadsOutsideOfPoolsTakePart) {
  for (int round = 0; round < 50; ++round) {
    Once once;
    int value = 0;
    const auto call = [&] {
      once.Call([&] { ++value; });
      EXPECT_EQ(value, 1);
    };
    std::thread outside(call);
    pool_->Run([&] {
      Thread inside = Spawn(call);
      call();
      inside.Join();
    });
    outside.join();
  }
}

TEST(OnceDeathTest, AFunctionThatCallsTheSameOnceIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        alarm(60);
        const auto pool = MakePool(2);
        pool->Run([] {
          Once once;
          once.Call([&] { once.Call([] {}); });
        });
      },
      "waits for the mutex at 0x[0-9a-f]+ that it holds itself");
}

}  // namespace
}  // namespace lwt
