// Stacks and descriptors: enough of them, guarded, used again; and none left.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

// Threads that all wait until they are released.
class Crowd {
 public:
  // One more; false where there is no memory.
  bool Add() {
    Thread thread;
    const SpawnResult result = TrySpawn(thread, [this] {
      Suspend(
          "the crowd to be released", [this](Suspended self) { waiting_.push_back(self); },
          WokenBy::kThreads);
      ++ran_;
    });
    if (result == SpawnResult::kNoMemory) return false;
    threads_.push_back(std::move(thread));
    return true;
  }
  // Lets all end; how many did.
  std::size_t Release() {
    for (const Suspended& thread : waiting_) thread.Resume();
    waiting_.clear();
    threads_.clear();
    return ran_;
  }
  void Reserve(std::size_t threads) {
    threads_.reserve(threads);
    waiting_.reserve(threads);
  }

 private:
  std::vector<Thread> threads_;
  std::vector<Suspended> waiting_;
  std::size_t ran_ = 0;
};

TEST(Memory, ADescriptorIsAtMost256Bytes) { EXPECT_LE(sizeof(Descriptor), 256u); }

TEST(Memory, ManyThreadsWaitAtOnceOnGuardedStacksAndEachIsUsedAgain) {
  const auto pool = *Pool::Create({.workers = 1});
  for (int round = 0; round < 2; ++round) {
    pool->Run([] {
      Crowd crowd;
      for (int i = 0; i < kMany; ++i) ASSERT_TRUE(crowd.Add());
      EXPECT_EQ(crowd.Release(), std::size_t{kMany});
    });
    EXPECT_EQ(pool->stacks().unguarded, 0);
    EXPECT_LT(pool->stacks().made, kMany + 200) << "the second round used those of the first";
  }
}

TEST(Memory, ThreadsThatHaveEndedKeepNoStackUntilTheyAreJoined) {
  const auto pool = *Pool::Create({.workers = 1});
  pool->Run([] {
    std::vector<Thread> threads;
    for (int i = 0; i < 10'000; ++i) threads.push_back(Spawn([] {}));
  });
  EXPECT_LT(pool->stacks().made, 200);
}

TEST(Memory, ARunOfManyThreadsElsewhereGivesTheirMemoryBack) {
  // Spawned on one worker, ended and joined on another: lists must not pile up.
  const auto pool = *Pool::Create({.workers = 2});
  for (int round = 0; round < 50; ++round) {
    pool->Run([] {
      for (int i = 0; i < 400; ++i) {
        Thread child = Spawn([] { Yield(); });
        child.Join();
      }
    });
  }
  EXPECT_LT(pool->stacks().made, 1000);
}

// In a process of its own, whose address space is then limited.
void RunOutOfMemory() {
  const auto pool = *Pool::Create({.workers = 1, .stack_bytes = 64 << 10});
  pool->Run([] {
    Crowd crowd;
    crowd.Reserve(100'000);
    for (int i = 0; i < 100; ++i) crowd.Add();
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit = {pages * 4096 + (64 << 20), pages * 4096 + (64 << 20)};
    setrlimit(RLIMIT_AS, &limit);
    std::size_t added = 100;
    while (crowd.Add()) ++added;
    bool thrown = false;
    try {
      Spawn([] {}).Join();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    int forked = 0;
    ForkJoin([&] { ++forked; }, [&] { ++forked; });
    const std::size_t ended = crowd.Release();
    bool again = false;
    Spawn([&] { again = true; }).Join();
    std::fprintf(stderr, "enough %d thrown %d forked %d all %d again %d\n", added > 500, thrown,
                 forked, ended == added, again);
  });
  std::exit(0);
}

TEST(MemoryDeathTest, WithoutMemoryASpawnSaysSoAndNothingIsLost) {
  if (kSanitizersFollowStacks) GTEST_SKIP() << "sanitizers need the whole address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(RunOutOfMemory(), testing::ExitedWithCode(0),
              "enough 1 thrown 1 forked 2 all 1 again 1");
}

}  // namespace
}  // namespace lwt
