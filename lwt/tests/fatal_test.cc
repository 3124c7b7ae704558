#include "lwt/fatal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "lwt/lwt.h"

namespace lwt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// So deep that no stack of 64 KB holds it.
int Recurse(int n) {
  volatile char frame[256] = {};
  frame[0] = static_cast<char>(n);
  return n == 0 ? frame[0] : Recurse(n - 1) + frame[0];
}

class FatalDeathTest : public testing::Test {
 protected:
  FatalDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FatalDeathTest, AStackOverflowEndsWithTheThreadsNameAndDepth) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([] {
          Thread child = Spawn([] { Recurse(1'000'000); }, {.name = "the deep one"});
          child.Join();
        });
      },
      "stack overflow in thread \"the deep one\" \\(depth 1");
}

// Frames larger than a page must not step over the guard.
int RecurseInSteps(int n) {
  volatile char frame[16 << 10];
  frame[0] = static_cast<char>(n);
  return n == 0 ? frame[0] : RecurseInSteps(n - 1) + frame[0];
}

TEST_F(FatalDeathTest, AnOverflowByLargeFramesIsCaughtToo) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([] {
          Thread child = Spawn([] { RecurseInSteps(100); }, {.name = "of large frames"});
          child.Join();
        });
      },
      "stack overflow in thread \"of large frames\" \\(depth 1");
}

TEST_F(FatalDeathTest, WhatADetachedThreadThrewEndsTheProgram) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([] { Spawn([] { throw std::runtime_error("nobody sees this"); }).Detach(); });
      },
      "nobody sees this");
}

TEST_F(FatalDeathTest, AYieldOutsideOfAPoolSaysSo) {
  EXPECT_DEATH(Yield(), "comes from one: Pool::Run starts the first");
}

TEST_F(FatalDeathTest, AnotherFaultIsNotCalledAnOverflow) {
  EXPECT_DEATH(
      {
        void* const forbidden = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([&] { *static_cast<volatile int*>(forbidden) = 1; });
      },
      Not(HasSubstr("stack overflow in thread")));
}

TEST_F(FatalDeathTest, ASpawnOutsideOfAPoolSaysWhoMaySpawn) {
  EXPECT_DEATH(Spawn([] {}).Join(), "comes from one: Pool::Run starts the first");
}

TEST_F(FatalDeathTest, ThreadsThatAllWaitForEachOtherAreReported) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 2});
        pool->Run([] {
          Thread stuck = Spawn(
              [] {
                Suspend(
                    "what never comes", [](Suspended) {}, WokenBy::kThreads);
              },
              {.name = "the stuck one"});
          stuck.Join();
        });
      },
      "deadlock: every thread waits for another.\n(.*\n)*the stuck one \\(depth 1\\) waits for "
      "what "
      "never comes");
}

TEST(Deadlock, AThreadThatSomebodyOutsideMayWakeIsNoDeadlock) {
  const auto pool = *Pool::Create({.workers = 2});
  std::atomic<Descriptor*> suspended{nullptr};
  std::thread outside([&] {
    while (suspended.load() == nullptr ||
           pool->worker(0).counters().parks.value() + pool->worker(1).counters().parks.value() <
               6) {
      std::this_thread::yield();
    }
    Suspended(*suspended.load()).Resume();
  });
  pool->Run([&] {
    Suspend("somebody outside", [&](Suspended thread) { suspended = &thread.descriptor(); });
  });
  outside.join();
}

}  // namespace
}  // namespace lwt
