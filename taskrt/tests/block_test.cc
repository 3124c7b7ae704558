// Blocks that end with their scope, and kernels that end before their tasks.
#include "taskrt/block.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "lwt/timer.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/typed.h"

namespace taskrt {
namespace {

struct Thrown : std::runtime_error {
  Thrown() : std::runtime_error("thrown") {}
};

// README's first program, which throws at the place of that number; false: there are fewer. When it
// has ended, no task of it uses the memory that is counted here any more.
bool ThrowsAt(int place, std::atomic<int>& running) {
  int at = 0;
  const auto here = [&] {
    if (at++ == place) throw Thrown();
  };
  try {
    here();
    auto runtime = *Runtime::Create({});
    here();
    std::vector<double> sum(1);
    Block<double> total(*runtime, "sum", sum);
    here();
    // After the block, as a kernel may be declared where it is used first.
    const TypedKernel add("add", [&](View<const double> y, View<double> all) {
      ++running;
      for (std::size_t i = 0; i < y.size(); ++i) all[0] += y[i];
      lwt::SleepFor(std::chrono::microseconds(100));
      --running;
    });
    here();
    std::vector<Block<double>> xs, ys;
    for (int i = 0; i < 4; ++i) {
      xs.emplace_back(*runtime, "x", 1, 1000);
      here();
      ys.emplace_back(*runtime, "y", 1, 1000);
      here();
      const TypedKernel axpy("axpy", [](View<const double> x, View<double> y, double a) {
        for (std::size_t j = 0; j < y.size(); ++j) y[j] += a * (x[j] + 1);
      });
      here();
      Submit(*runtime, axpy, in(xs.back()), inout(ys.back()), 2.0);
      here();
      Submit(*runtime, add, in(ys.back()), inout(total));
      here();
    }
    const absl::StatusOr<View<const double>> all = total.Read();
    EXPECT_TRUE(all.ok()) << all.status();
    EXPECT_EQ((*all)[0], 8000);
    here();
  } catch (const Thrown&) {
    return true;
  }
  return false;
}

TEST(OwnedBlocks, AnExceptionAtAnyLineLosesNothing) {
  std::atomic<int> running{0};
  int places = 0;
  while (ThrowsAt(places, running)) {
    EXPECT_EQ(running, 0) << "place " << places;
    ++places;
  }
  EXPECT_EQ(places, 25);
}

TEST(OwnedBlocks, TheEndWaitsForTheTasks) {
  const auto runtime = *Runtime::Create({});
  std::vector<int> values(1);
  {
    const TypedKernel increments("increments", [](View<int> view) { ++view[0]; });
    const Block<int> block(*runtime, "values", values);
    for (int i = 0; i < 1000; ++i) Submit(*runtime, increments, inout(block));
  }
  EXPECT_EQ(values[0], 1000);
}

TEST(OwnedBlocks, ValuesComeHomeFromDevices) {
  RuntimeOptions options;
  options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  options.pool.workers = 2;
  const auto runtime = *Runtime::Create(std::move(options));
  const Kernel adds = Kernel("adds").OnSimulated([](std::span<const Tile> tiles, auto) {
    for (int& value : View<int>(tiles[0]).row(0)) value += 5;
    return absl::OkStatus();
  });
  std::vector<int> values(3, 1);
  Block<int> block(*runtime, "values", values), own(*runtime, "own", 2, 3);
  runtime->Submit(adds, {{block.handle, Mode::kInOut}});
  ASSERT_TRUE(block.Read().ok());
  EXPECT_EQ(values, std::vector<int>(3, 6));
  (*block.Write())[0] = 10;
  runtime->Submit(adds, {{block.handle, Mode::kInOut}});
  runtime->Submit(adds, {{own.handle, Mode::kInOut}});
  block = std::move(own);
  EXPECT_EQ(values, (std::vector<int>{15, 11, 11})) << "it ended where it was overwritten";
  EXPECT_EQ((*block.Read())(0, 2), 5);
  EXPECT_EQ((*block.Read())(1, 2), 0);
}

TEST(OwnedBlocks, OwnMemoryIsAlignedAndZero) {
  const auto runtime = *Runtime::Create({});
  Block<double> small(*runtime, "small", 1, 3), large(*runtime, "large", 100, 1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&(*small.Read())[0]) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&(*large.Read())(0, 0)) % 4096, 0u);
  EXPECT_EQ((*large.Read()).rows(), 100u);
  EXPECT_EQ((*large.Read())(99, 999), 0);
  EXPECT_THROW(Block<double>(*runtime, "too large", std::size_t{1} << 40, std::size_t{1} << 40),
               std::bad_alloc);
}

TEST(OwnedBlocks, AfterTheRuntimeTheyEndWithoutIt) {
  std::optional<Block<int>> block;
  {
    const auto runtime = *Runtime::Create({});
    block.emplace(*runtime, "late", 1, 1);
  }
  block.reset();
}

TEST(OwnedBlocks, ATaskMayEndABlockThatItDoesNotUse) {
  const auto runtime = *Runtime::Create({});
  Block<int> result(*runtime, "result", 1, 1);
  const TypedKernel three("three", [](View<int> view) { view[0] = 3; });
  const TypedKernel works("works", [&](View<int> view) {
    Block<int> scratch(*runtime, "scratch", 1, 1);
    Submit(*runtime, three, out(scratch));
    view[0] = (*scratch.Read())[0];
  });
  Submit(*runtime, works, out(result));
  EXPECT_EQ((*result.Read())[0], 3);
}

TEST(OwnedBlocksDeathTest, ATaskDoesNotEndABlockOfItsOwn) {
  EXPECT_DEATH(
      {
        const auto runtime = *Runtime::Create({});
        std::optional<Block<int>> block;
        block.emplace(*runtime, "mine", 1, 1);
        const TypedKernel ends("ends", [&](View<int>) { block.reset(); });
        Submit(*runtime, ends, inout(*block));
        (void)runtime->Wait();
      },
      "a block is ended by none of its tasks: task ends.inout mine.");
}

TEST(OwnedKernels, AKernelMayEndBeforeItsTasks) {
  const auto runtime = *Runtime::Create({});
  const auto other = *Runtime::Create({});
  Block<long> cell(*runtime, "cell", 1, 1), cell_of_other(*other, "cell", 1, 1);
  lwt::Event gate;
  const TypedKernel waits("waits", [&](View<long>) { gate.Wait(); });
  Submit(*runtime, waits, inout(cell));
  Submit(*other, waits, inout(cell_of_other));
  const std::weak_ptr<int> alive = [&] {
    auto held = std::make_shared<int>(1);
    const TypedKernel adds("adds", [held](View<long> view, int more) { view[0] += *held + more; });
    for (int i = 0; i < 10; ++i) {
      Submit(*runtime, adds, inout(cell), i);
      Submit(*other, adds, inout(cell_of_other), i);
    }
    return held;
  }();
  EXPECT_FALSE(alive.expired());
  gate.Set();
  ASSERT_TRUE(runtime->Wait().ok());
  ASSERT_TRUE(other->Wait().ok());
  EXPECT_EQ((*cell.Read())[0], 55);
  EXPECT_EQ((*cell_of_other.Read())[0], 55);
  EXPECT_TRUE(alive.expired()) << "a Wait gives the memory back";
}

TEST(OwnedKernels, AProgramThatNeverWaitsForAllKeepsFew) {
  const auto runtime = *Runtime::Create({});
  const auto held = std::make_shared<int>(1);
  for (int i = 0; i < 100; ++i) {
    const TypedKernel adds("adds", [held](View<int> view) { view[0] += *held; });
    Block<int> cell(*runtime, "cell", 1, 1);
    Submit(*runtime, adds, inout(cell));
    EXPECT_EQ((*cell.Read())[0], 1);
  }
  EXPECT_LT(held.use_count(), 10);
}

}  // namespace
}  // namespace taskrt
