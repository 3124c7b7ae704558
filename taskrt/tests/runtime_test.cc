// Real tasks on simulated devices: with memory of their own, so that a copy that is missing shows.
#include "taskrt/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "taskrt/benches/cholesky_tasks.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

std::unique_ptr<Runtime> MakeRuntime(int devices, const SimulatedDeviceOptions& device = {},
                                     const MoverOptions& mover = {}) {
  RuntimeOptions options;
  options.pool.workers = 4;
  options.pool.simulation = lwt::SimulationOptions{};
  options.mover = mover;
  for (int i = 0; i < devices; ++i) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(device));
  }
  auto runtime = Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  return *std::move(runtime);
}

Tile TileOf(std::vector<int>& values) {
  const std::uint64_t bytes = values.size() * sizeof(int);
  return {reinterpret_cast<std::byte*>(values.data()), 1, bytes, bytes};
}
std::span<int> Ints(const Tile& tile) {
  return {reinterpret_cast<int*>(tile.data), tile.row_bytes / sizeof(int)};
}

// Each block's number is changed by a function of the blocks that are read, so that every order
// that the tasks may not have gives another result.
absl::Status Mix(std::span<const Tile> tiles, std::span<const std::byte>) {
  for (std::size_t i = 0; i + 1 < tiles.size(); ++i) {
    for (std::size_t at = 0; at < Ints(tiles[i]).size(); ++at) {
      int& value = Ints(tiles.back())[at];
      value = static_cast<int>(static_cast<unsigned>(value) * 31u +
                               static_cast<unsigned>(Ints(tiles[i])[at]));
    }
  }
  for (int& value : Ints(tiles.back())) value = static_cast<int>(static_cast<unsigned>(value) + 7u);
  return absl::OkStatus();
}

// A Cholesky factorization's tasks, which mix; in order, on one thread.
class Mixed {
 public:
  explicit Mixed(int count) : count_(count), blocks_(cholesky::BlocksOf(count)) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i].assign(5, static_cast<int>(i));
  }
  void ComputeAlone() {
    cholesky::ForEachTask(count_, [&](const cholesky::Task& task) {
      std::vector<Tile> tiles;
      for (const PlannedAccess& access : AccessesOf(task, count_)) {
        tiles.push_back(TileOf(blocks_[access.block]));
      }
      (void)Mix(tiles, {});
    });
  }
  absl::Status Compute(Runtime& runtime, bool only_gemm) {
    std::vector<Kernel> kernels;
    for (int kernel = 0; kernel < 4; ++kernel) {
      kernels.emplace_back(std::string(cholesky::kNames[kernel]));
      if (only_gemm && kernel < 3) {
        kernels.back().OnHost(Mix);
      } else {
        kernels.back().OnSimulated(Mix);
      }
      kernels.back().Flops(1e6);
    }
    std::vector<Handle> handles;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      handles.push_back(runtime.Register("block" + std::to_string(i), TileOf(blocks_[i])));
    }
    return runtime.Run([&](Runtime& rt) {
      cholesky::ForEachTask(count_, [&](const cholesky::Task& task) {
        std::vector<Access> accesses;
        for (const PlannedAccess& access : AccessesOf(task, count_)) {
          accesses.push_back({handles[access.block], access.mode});
        }
        rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses);
      });
      return rt.Wait();
    });
  }
  const std::vector<std::vector<int>>& blocks() const { return blocks_; }

 private:
  const int count_;
  std::vector<std::vector<int>> blocks_;
};

void ExpectRun(int count, int devices, bool only_gemm, const MoverOptions& mover, std::uint64_t h2d,
               std::uint64_t d2h, std::uint64_t d2d) {
  Mixed expected(count), mixed(count);
  expected.ComputeAlone();
  const auto runtime = MakeRuntime(devices, {}, mover);
  const absl::Status done = mixed.Compute(*runtime, only_gemm);
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  const CopyCounts copies = runtime->counts().copies;
  EXPECT_EQ(copies.h2d.copies, h2d);
  EXPECT_EQ(copies.d2h.copies, d2h);
  EXPECT_EQ(copies.d2d.copies, d2d);
  if (mover.optimizes) {
    EXPECT_EQ(runtime->counts().least.copies, h2d + d2h + d2d);
  }
}

TEST(Runtime, CopiesAsTable3Says) {
  ExpectRun(32, 1, true, {}, 960, 465, 0);
  ExpectRun(32, 1, true, {.optimizes = false}, 14'880, 4'960, 0);
}

TEST(Runtime, CopiesAsTable5Says) {
  ExpectRun(32, 2, true, {}, 1451, 465, 2248);
  ExpectRun(32, 4, true, {}, 2418, 465, 3372);
}

TEST(Runtime, AllOnDevicesEachBlockGoesAndComesOnce) { ExpectRun(32, 1, false, {}, 528, 528, 0); }

TEST(Runtime, AFailureIsToldWithTheTaskAndLaterTasksAreLeftOut) {
  const auto runtime = MakeRuntime(1);
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
  const auto runtime = MakeRuntime(2, {.memory_bytes = 6 * 5 * sizeof(int)});
  const absl::Status done = mixed.Compute(*runtime, false);
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
}

TEST(Runtime, InHalfTheMemoryWhatIsUsedLastGoesFirstAndLessIsCopiedThanByLru) {
  std::uint64_t copied[2] = {};
  for (const Eviction eviction : {Eviction::kFarthestUse, Eviction::kLeastRecently}) {
    Mixed expected(32), mixed(32);
    expected.ComputeAlone();
    const auto runtime =
        MakeRuntime(1, {}, {.device_bytes = 264 * 5 * sizeof(int), .eviction = eviction});
    const absl::Status done = mixed.Compute(*runtime, false);
    EXPECT_TRUE(done.ok()) << done;
    EXPECT_EQ(mixed.blocks(), expected.blocks());
    copied[static_cast<int>(eviction)] = runtime->counts().copies.h2d.copies;
  }
  EXPECT_LE(copied[0], copied[1] / 2) << copied[0] << " against " << copied[1];
}

TEST(Runtime, BlocksOfSeveralSizesShareAShortMemory) {
  const auto runtime = MakeRuntime(1, {.memory_bytes = 100 * sizeof(int)});
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
    const auto runtime = MakeRuntime(3);
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
  const auto runtime = MakeRuntime(1);
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
    const absl::Status done = mixed.Compute(**runtime, round == 0);
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

TEST(Runtime, ATaskThatCanNeverFitIsNamed) {
  Mixed mixed(4);
  const auto runtime = MakeRuntime(1, {.memory_bytes = 2 * 5 * sizeof(int)});
  const absl::Status done = mixed.Compute(*runtime, true);
  EXPECT_EQ(done.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(done.ToString(), HasSubstr("task gemm(in block"));
}

}  // namespace
}  // namespace taskrt
