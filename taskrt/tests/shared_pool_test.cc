// Runtimes and the program's own threads on one pool.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "lwt/lwt.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/typed.h"

namespace taskrt {
namespace {

std::unique_ptr<Runtime> On(lwt::Pool& pool, int devices = 0) {
  RuntimeOptions options;
  options.shared_pool = &pool;
  for (int i = 0; i < devices; ++i) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  }
  return *Runtime::Create(std::move(options));
}

TEST(SharedPool, TwoRuntimesAndThreadsUseTheSameWorkers) {
  const auto pool = *lwt::Pool::Create({.workers = 2});
  const auto one = On(*pool), two = On(*pool);
  EXPECT_EQ(&one->pool(), pool.get());
  Block<long> a(*one, "a", 1, 1), b(*two, "b", 1, 1);
  std::atomic<long> elsewhere{0}, own{0};
  const TypedKernel adds("adds", [&](View<long> value) {
    if (&lwt::Worker::Current()->pool() != pool.get()) ++elsewhere;
    value[0] += 1;
  });
  pool->Run([&] {
    lwt::Thread thread = lwt::Spawn([&] {
      for (int i = 0; i < 1000; ++i) {
        ++own;
        lwt::Yield();
      }
    });
    for (int i = 0; i < 1000; ++i) {
      Submit(*one, adds, inout(a));
      Submit(*two, adds, inout(b));
    }
    thread.Join();
    EXPECT_TRUE(one->Wait().ok());
  });
  EXPECT_TRUE(two->Wait().ok());
  EXPECT_EQ((*a.Read())[0], 1000);
  EXPECT_EQ((*b.Read())[0], 1000);
  EXPECT_EQ(own, 1000);
  EXPECT_EQ(elsewhere, 0);
}

TEST(SharedPool, AnIdleRuntimeIsNoStall) {
  using namespace std::chrono_literals;
  const auto pool = *lwt::Pool::Create({.workers = 2, .stall_report_after = 500ms});
  const auto runtime = On(*pool);
  Block<long> block(*runtime, "block", 1, 1);
  const TypedKernel adds("adds", [](View<long> value) { value[0] += 1; });
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    Submit(*runtime, adds, inout(block));
    EXPECT_TRUE(runtime->Wait().ok());
    std::this_thread::sleep_for(1500ms);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(SharedPool, ARuntimeEndsWhileThePoolGoesOn) {
  const auto pool = *lwt::Pool::Create({.workers = 2});
  for (int round = 0; round < 200; ++round) {
    const int devices = round % 2;
    std::vector<int> values(3);
    {
      const auto runtime = On(*pool, devices);
      const Kernel adds = Kernel("adds")
                              .OnHost([](std::span<const Tile> tiles, auto) {
                                View<int>(tiles[0])[0] += 1;
                                return absl::OkStatus();
                              })
                              .OnSimulated([](std::span<const Tile> tiles, auto) {
                                View<int>(tiles[0])[0] += 1;
                                return absl::OkStatus();
                              });
      std::vector<Block<int>> blocks;
      for (int i = 0; i < 3; ++i) {
        blocks.emplace_back(*runtime, "v", &values[static_cast<std::size_t>(i)], 1, 1, 1);
      }
      // After a wait a task that ends wakes nobody; from outside tasks come by a thread of their
      // own.
      EXPECT_TRUE(runtime->Wait().ok());
      for (int i = 0; i < 30; ++i) {
        runtime->Submit(adds, {{blocks[static_cast<std::size_t>(i % 3)].handle, Mode::kInOut}});
      }
    }
    EXPECT_EQ(values, std::vector<int>(3, 10));
  }
}

TEST(SharedPool, AThreadOfThePoolMakesAndEndsARuntime) {
  const auto pool = *lwt::Pool::Create({.workers = 1});
  const long result = pool->Run([&] {
    const auto runtime = On(*pool);
    const TypedKernel sets("sets", [](View<long> value) { value[0] = 4; });
    Block<long> value(*runtime, "value", 1, 1);
    Submit(*runtime, sets, out(value));
    return (*value.Read())[0];
  });
  EXPECT_EQ(result, 4);
}

// Its only worker starts the tasks that came from outside before.
TEST(SharedPool, AThreadOfThePoolEndsARuntimeThatHadTasksFromOutside) {
  const auto pool = *lwt::Pool::Create({.workers = 1});
  auto runtime = On(*pool);
  Block<long> value(*runtime, "value", 1, 1);
  const TypedKernel sets("sets", [](View<long> view) { view[0] = 4; });
  Submit(*runtime, sets, out(value));
  EXPECT_EQ((*value.Read())[0], 4);
  pool->Run([&] { runtime = nullptr; });
}

TEST(SharedPoolDeathTest, ATaskDoesNotEndItsRuntime) {
  EXPECT_DEATH(
      {
        const auto pool = *lwt::Pool::Create({.workers = 1});
        auto runtime = On(*pool);
        const Kernel ends = Kernel("ends").OnHost([&](auto, auto) {
          runtime.reset();
          return absl::OkStatus();
        });
        runtime->Submit(ends, {});
        (void)runtime->Wait();
      },
      "a runtime is not destroyed by its own tasks");
}

}  // namespace
}  // namespace taskrt
