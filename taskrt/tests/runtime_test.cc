// Real tasks on simulated devices: with memory of their own, so that a copy that is missing shows.
#include "taskrt/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "taskrt/sim/device.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

TEST(Runtime, ByWayOfTheHostEachCrossingIsTwoCopiesAndTheHostHasItToo) {
  Mixed expected(16), mixed(16);
  expected.ComputeAlone();
  const auto runtime = MakeSimulatedRuntime(3, {}, {.across = Across::kStaged});
  const absl::Status done = mixed.Compute(*runtime, OnSimulated(false));
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  EXPECT_EQ(runtime->counts().copies.d2d.copies, 0u);
  EXPECT_GT(runtime->counts().copies.d2h.copies, 136u);
}

TEST(Runtime, AUserOfBlocksOnAnotherDeviceCopiesEachInAndBackOnly) {
  Mixed expected(16), mixed(16);
  expected.ComputeAlone();
  const auto runtime = MakeSimulatedRuntime(3, {}, {.across = Across::kAccess});
  const absl::Status done = mixed.Compute(*runtime, OnSimulated(false));
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  const CopyCounts copies = runtime->counts().copies;
  EXPECT_EQ(copies.d2d.copies, 0u);
  EXPECT_EQ(copies.h2d.copies, 136u);
  EXPECT_EQ(copies.d2h.copies, 136u);
}

TEST(Runtime, AFailureIsReportedWithTheTaskAndLaterTasksAreLeftOut) {
  const auto runtime = MakeSimulatedRuntime(1);
  std::vector<int> values(5, 0);
  const Handle handle = runtime->Register("values", TileOf(values));
  const Kernel fails = Kernel("breaks").OnSimulated(
      [](auto, auto) { return absl::DataLossError("the block is not good"); });
  const Kernel adds = Kernel("adds").OnSimulated(Mix);
  const absl::Status status = runtime->Run([&](Runtime& rt) {
    rt.Submit(adds, {{handle, Mode::kInOut}});
    rt.Submit(fails, {{handle, Mode::kInOut}});
    rt.Submit(adds, {{handle, Mode::kInOut}});
    return rt.Wait();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.ToString(), HasSubstr("task breaks(inout values): the block is not good"));
  EXPECT_EQ(values, std::vector<int>(5, 7)) << "what was right before is kept";
  const absl::Status again = runtime->Run([&](Runtime& rt) {
    rt.Submit(adds, {{handle, Mode::kInOut}});
    return rt.Wait();
  });
  EXPECT_TRUE(again.ok()) << again;
  EXPECT_EQ(values, std::vector<int>(5, 14));
}

TEST(Runtime, InShortMemoryTheResultIsTheSame) {
  Mixed expected(12), mixed(12);
  expected.ComputeAlone();
  const auto runtime = MakeSimulatedRuntime(2, {.memory_bytes = 6 * 5 * sizeof(int)});
  const absl::Status done = mixed.Compute(*runtime, OnSimulated(false));
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
}

TEST(Runtime, BlocksOfSeveralSizesShareAShortMemory) {
  const auto runtime = MakeSimulatedRuntime(1, {.memory_bytes = 100 * sizeof(int)});
  const Kernel adds = Kernel("adds").OnSimulated(Mix);
  std::vector<std::vector<int>> values;
  for (const std::size_t size : {90, 40, 60, 100, 10}) values.emplace_back(size, 0);
  const absl::Status done = runtime->Run([&](Runtime& rt) {
    for (std::vector<int>& one : values) {
      rt.Submit(adds, {{runtime->Register("one", TileOf(one)), Mode::kInOut}});
    }
    return rt.Wait();
  });
  EXPECT_TRUE(done.ok()) << done;
  for (const std::vector<int>& one : values) EXPECT_EQ(one, std::vector<int>(one.size(), 7));
}

TEST(Runtime, ReductionsAndCommutativeTasksLoseNothingWhereverTheyRun) {
  for (const Mode mode : {Mode::kReduction, Mode::kCommutative}) {
    const auto runtime = MakeSimulatedRuntime(3);
    const Kernel adds = Kernel("adds").OnSimulated(Mix);
    std::vector<int> sum(5, 0);
    const Handle handle = runtime->Register("sum", TileOf(sum));
    const absl::Status done = runtime->Run([&](Runtime& rt) {
      for (int i = 0; i < 100; ++i) rt.Submit(adds, {{handle, mode}});
      return rt.Wait();
    });
    EXPECT_TRUE(done.ok()) << done;
    EXPECT_EQ(sum, std::vector<int>(5, 700));
  }
}

TEST(RuntimeDeath, ATaskThatAccessesABlockTwiceIsABrokenContract) {
  const auto runtime = MakeSimulatedRuntime(1);
  const Kernel adds = Kernel("adds").OnSimulated(Mix);
  std::vector<int> values(5, 0);
  const Handle handle = runtime->Register("values", TileOf(values));
  EXPECT_DEATH(runtime->Run([&](Runtime& rt) {
    rt.Submit(adds, {{handle, Mode::kIn}, {handle, Mode::kInOut}});
  }),
               "accesses a block once");
}

TEST(Runtime, OnRealWorkersToo) {
  for (int round = 0; round < 3; ++round) {
    Mixed expected(12), mixed(12);
    expected.ComputeAlone();
    RuntimeOptions options;
    options.pool.workers = 3;
    for (int i = 0; i < 2; ++i) {
      options.devices.push_back(
          std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{.memory_bytes = 400}));
    }
    auto runtime = Runtime::Create(std::move(options));
    ASSERT_TRUE(runtime.ok());
    const absl::Status done = mixed.Compute(**runtime, OnSimulated(round == 0));
    EXPECT_TRUE(done.ok()) << done;
    EXPECT_EQ(mixed.blocks(), expected.blocks());
  }
}

TEST(Runtime, TasksFromOutsideOfThePoolRunInTheOrderInWhichTheyCame) {
  RuntimeOptions options;
  options.pool.workers = 2;
  options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  auto runtime = Runtime::Create(std::move(options));
  ASSERT_TRUE(runtime.ok()) << runtime.status();
  const auto body = [](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
    int& value = Ints(tiles[0])[0];
    value = value * 31 % 1009 + static_cast<int>(scalars[0]);
    return absl::OkStatus();
  };
  const Kernel on_host = Kernel("host").OnHost(body), on_device = Kernel("sim").OnSimulated(body);
  std::vector<int> values = {1};
  int expected = 1;
  const Handle handle = (*runtime)->Register("value", TileOf(values));
  for (int round = 0; round < 2; ++round) {  // Wait is no end.
    for (int i = 0; i < 100; ++i) {
      const auto scalar = static_cast<std::byte>(i);
      (*runtime)->Submit(i % 3 == 0 ? on_device : on_host, {{handle, Mode::kInOut}}, {&scalar, 1});
      expected = expected * 31 % 1009 + i;
    }
    EXPECT_TRUE((*runtime)->Wait().ok());
    EXPECT_EQ(values[0], expected);
  }
}

TEST(Runtime, TasksSubmitTasksAndAllAreWaitedFor) {
  RuntimeOptions options;
  options.pool.workers = 2;
  options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  const auto runtime = *Runtime::Create(std::move(options));
  std::vector<std::vector<int>> values(4, std::vector<int>(Mixed::kInts));
  std::vector<Handle> handles;
  for (std::vector<int>& one : values) handles.push_back(runtime->Register("one", TileOf(one)));
  const Kernel leaf = Kernel("leaf").OnSimulated(Mix);
  const Kernel branch = Kernel("branch").OnHost([&](std::span<const Tile> tiles, auto scalars) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      runtime->Submit(leaf, {{handles[i], Mode::kInOut}});
    }
    return Mix(tiles, scalars);
  });
  for (int i = 0; i < 10; ++i) runtime->Submit(branch, {{handles[0], Mode::kInOut}});
  ASSERT_TRUE(runtime->Wait().ok());
  for (const std::vector<int>& one : values) EXPECT_EQ(one, std::vector<int>(Mixed::kInts, 70));
  EXPECT_EQ(runtime->counts().tasks, 40u);
}

TEST(Runtime, ATaskThatCanNeverFitIsNamed) {
  Mixed mixed(4);
  const auto runtime = MakeSimulatedRuntime(1, {.memory_bytes = 2 * 5 * sizeof(int)});
  const absl::Status done = mixed.Compute(*runtime, OnSimulated(true));
  EXPECT_EQ(done.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(done.ToString(), HasSubstr("task gemm(in block"));
}

}  // namespace
}  // namespace taskrt
