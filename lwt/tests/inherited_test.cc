// What a thread knows of itself: whether it is a lightweight thread, and for whom it works.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
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

class WithWorkers : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Pool> pool_ = MakePool(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, WithWorkers, testing::Values(1, 2, 4));

// What is forked is made a thread: the first call lets others run until it has begun.
TEST_P(WithWorkers, EachThreadInheritsTheWordOfTheThreadThatStartsIt) {
  const auto other = MakePool(1);
  pool_->Run([&] {
    EXPECT_EQ(Inherited(), 0u);
    Inherited() = 7;
    std::uint64_t spawned = 0, created = 0, forked = 0, grouped = 0, called = 0, of_child = 0;
    Spawn([&] {
      spawned = Inherited();
      Inherited() = 8;
      Spawn([&] { of_child = Inherited(); }).Join();
    }).Join();
    Created made = Create([&] { created = Inherited(); });
    Worker::Current()->Push(std::move(made.ready));
    made.thread.Join();
    std::atomic<bool> has_begun{false};
    ForkJoin(
        [&] {
          while (!has_begun) Yield();
        },
        [&] {
          forked = Inherited();
          has_begun = true;
        });
    has_begun = false;
    TaskGroup group;
    group.Run([&] {
      grouped = Inherited();
      has_begun = true;
    });
    while (!has_begun) Yield();
    group.Wait();
    other->Run([&] { called = Inherited(); });
    EXPECT_EQ(std::vector<std::uint64_t>({spawned, created, forked, grouped, called, of_child}),
              std::vector<std::uint64_t>({7, 7, 7, 7, 7, 8}));
    EXPECT_EQ(Inherited(), 7u);
  });
  pool_->Run([] { EXPECT_EQ(Inherited(), 0u) << "a call from outside has nobody's"; });
}

TEST_P(WithWorkers, OnlyThreadsOfAPoolAreLightweightThreads) {
  EXPECT_FALSE(IsLightweightThread());
  pool_->Run([] {
    EXPECT_TRUE(IsLightweightThread());
    Spawn([] { EXPECT_TRUE(IsLightweightThread()); }).Join();
    std::thread([] { EXPECT_FALSE(IsLightweightThread()); }).join();
  });
}

}  // namespace
}  // namespace lwt
