// The life of a block: registered, waited for, grown, unregistered; and what breaks the contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "lwt/event.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

Tile TileOf(std::vector<int>& values, std::size_t first = 0, std::size_t count = 0) {
  const std::uint64_t bytes = (count == 0 ? values.size() : count) * sizeof(int);
  return {reinterpret_cast<std::byte*>(values.data() + first), 1, bytes, bytes};
}

absl::Status AddOne(std::span<const Tile> tiles, std::span<const std::byte>) {
  int* const values = reinterpret_cast<int*>(tiles.back().data);
  for (std::size_t i = 0; i < tiles.back().row_bytes / sizeof(int); ++i) ++values[i];
  return absl::OkStatus();
}

class Blocks : public testing::Test {
 protected:
  Blocks() {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";  // The pool's threads are needed.
    RuntimeOptions options;
    options.pool.workers = 2;
    for (int i = 0; i < 2; ++i) {
      auto device = std::make_unique<SimulatedDevice>(
          SimulatedDeviceOptions{.memory_bytes = 100 * sizeof(int)});
      options.devices.push_back(std::move(device));
    }
    runtime_ = *Runtime::Create(std::move(options));
  }
  Runtime& runtime() { return *runtime_; }

  const Kernel on_host_ = Kernel("host").OnHost(AddOne);
  const Kernel on_device_ = Kernel("device").OnSimulated(AddOne);

 private:
  std::unique_ptr<Runtime> runtime_;
};
using BlocksDeath = Blocks;

TEST_F(Blocks, AnEndedBlockIsAtHomeAndItsDeviceMemoryIsOthers) {
  // Each takes all of a device's memory.
  for (int round = 0; round < 10; ++round) {
    std::vector<int> values(100, round);
    const Handle handle = runtime().Register("values", TileOf(values));
    runtime().Submit(on_device_, {{handle, Mode::kInOut}});
    EXPECT_TRUE(runtime().WaitOn(handle, Mode::kInOut).ok());
    EXPECT_TRUE(runtime().Unregister(handle).ok());
    EXPECT_EQ(values, std::vector<int>(100, round + 1));
  }
  EXPECT_EQ(runtime().counts().copies.h2d.copies, 10u);
  EXPECT_EQ(runtime().counts().copies.d2h.copies, 10u);
  EXPECT_EQ(runtime().counts().least.copies, 20u);
}

TEST_F(Blocks, MemoryThatIsUsedAgainAfterItsBlockHasEndedHasNothingStale) {
  std::vector<int> values(10, 1);
  for (int round = 0; round < 3; ++round) {
    std::fill(values.begin(), values.end(), 10 * round);
    const Handle handle = runtime().Register("values", TileOf(values));
    runtime().Submit(on_device_, {{handle, Mode::kInOut}});
    EXPECT_TRUE(runtime().Wait().ok());
    EXPECT_TRUE(runtime().Unregister(handle).ok());
    EXPECT_EQ(values, std::vector<int>(10, 10 * round + 1));
  }
}

TEST_F(Blocks, AWaiterForABlockReadsItWhileOthersAreStillComputed) {
  lwt::Event go;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    go.Wait();
    return absl::OkStatus();
  });
  std::vector<int> values(10, 0), others(10, 0);
  const Handle handle = runtime().Register("values", TileOf(values));
  const Handle other = runtime().Register("others", TileOf(others));
  runtime().Submit(waits, {{other, Mode::kInOut}});
  for (int i = 0; i < 5; ++i) runtime().Submit(on_device_, {{handle, Mode::kInOut}});
  EXPECT_TRUE(runtime().WaitOn(handle).ok());
  EXPECT_EQ(values, std::vector<int>(10, 5));
  go.Set();
  EXPECT_TRUE(runtime().Wait().ok());
  EXPECT_EQ(runtime().counts().tasks, 6u) << "waiting is no task";
}

TEST_F(Blocks, AWaiterForATaskGoesOnWhenItHasEndedOrWasLeftOut) {
  const Kernel fails = Kernel("fails").OnHost([](auto, auto) { return absl::DataLossError("no"); });
  std::vector<int> values(10, 0);
  const std::vector<Access> accesses = {
      {runtime().Register("values", TileOf(values)), Mode::kInOut}};
  lwt::Event ended, left_out;
  runtime().Submit(on_host_, accesses, {}, {.ended = &ended});
  ended.Wait();
  EXPECT_EQ(values, std::vector<int>(10, 1));
  runtime().Submit(fails, accesses);
  runtime().Submit(on_host_, accesses, {}, {.ended = &left_out});
  left_out.Wait();
  EXPECT_EQ(values, std::vector<int>(10, 1));
  EXPECT_FALSE(runtime().WaitOn(accesses[0].handle).ok());
  EXPECT_FALSE(runtime().Wait().ok()) << "it is told by Wait, too";
  EXPECT_TRUE(runtime().WaitOn(accesses[0].handle).ok());
}

TEST_F(Blocks, ABlockThatNoDeviceHasGrowsUnderItsTasks) {
  lwt::Event go;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    go.Wait();
    return absl::OkStatus();
  });
  std::vector<int> values(10, 0);
  const Handle handle = runtime().Register("values", TileOf(values, 0, 1));
  runtime().Submit(waits, {{handle, Mode::kInOut}});
  EXPECT_TRUE(runtime().Resize(handle, TileOf(values)).ok());
  runtime().Submit(on_device_, {{handle, Mode::kInOut}});
  go.Set();
  EXPECT_TRUE(runtime().Wait().ok());
  EXPECT_EQ(values, std::vector<int>(10, 1));
}

TEST_F(Blocks, ABlockOnADeviceGrowsWhenNoTaskUsesIt) {
  std::vector<int> values(10, 0);
  const Handle handle = runtime().Register("values", TileOf(values, 0, 5));
  lwt::Event go;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    go.Wait();
    return absl::OkStatus();
  });
  runtime().Submit(on_device_, {{handle, Mode::kInOut}});
  runtime().Submit(waits, {{handle, Mode::kIn}});
  EXPECT_EQ(runtime().Resize(handle, TileOf(values)).code(), absl::StatusCode::kFailedPrecondition);
  go.Set();
  EXPECT_TRUE(runtime().WaitOn(handle, Mode::kInOut).ok());
  EXPECT_TRUE(runtime().Resize(handle, TileOf(values)).ok());
  runtime().Submit(on_device_, {{handle, Mode::kInOut}});
  EXPECT_TRUE(runtime().Wait().ok());
  EXPECT_EQ(values, (std::vector<int>{2, 2, 2, 2, 2, 1, 1, 1, 1, 1}));
}

// What one brings home the other ends, and registers others in its place.
TEST_F(Blocks, BlocksEndAndBeginWhileAnotherThreadWaitsForAll) {
  std::atomic<bool> is_over{false};
  absl::Status waited;
  std::thread waits([&] {
    while (!is_over) waited.Update(runtime().Wait());
  });
  for (int round = 0; round < 200; ++round) {
    std::vector<int> values[3];
    Handle handles[3];
    for (std::size_t i = 0; i < 3; ++i) {
      values[i].assign(i + 1, round);
      handles[i] = runtime().Register("values", TileOf(values[i]));
      runtime().Submit(on_device_, {{handles[i], Mode::kInOut}});
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(runtime().WaitOn(handles[i], Mode::kInOut).ok());
      EXPECT_TRUE(runtime().Unregister(handles[i]).ok());
      EXPECT_EQ(values[i], std::vector<int>(i + 1, round + 1));
    }
  }
  is_over = true;
  waits.join();
  EXPECT_TRUE(waited.ok()) << waited;
}

TEST_F(BlocksDeath, AHandleThatIsUsedAfterItsEndIsNamed) {
  std::vector<int> values(10, 0), others(10, 0);
  const Handle handle = runtime().Register("values", TileOf(values));
  EXPECT_TRUE(runtime().Unregister(handle).ok());
  EXPECT_DEATH(runtime().Submit(on_host_, {{handle, Mode::kInOut}}),
               "block values is not used after Unregister");
  EXPECT_DEATH((void)runtime().Unregister(handle), "block values is not used after Unregister");
  (void)runtime().Register("others", TileOf(others));
  EXPECT_DEATH(runtime().Submit(on_host_, {{handle, Mode::kInOut}}),
               "a block is not used after Unregister; others has been registered since");
}

TEST_F(BlocksDeath, ABlockThatATaskUsesDoesNotEnd) {
  std::vector<int> values(10, 0);
  const Handle handle = runtime().Register("values", TileOf(values));
  lwt::Event go;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    go.Wait();
    return absl::OkStatus();
  });
  runtime().Submit(waits, {{handle, Mode::kIn}});
  EXPECT_DEATH((void)runtime().Unregister(handle),
               "no task uses block values when it is unregistered");
  go.Set();
  EXPECT_TRUE(runtime().Wait().ok());
}

TEST_F(BlocksDeath, BlocksThatShareMemoryAreBothNamedAndTilesOfAMatrixShareNone) {
  std::vector<int> matrix(64, 0);
  const auto tile = [&](std::size_t row, std::size_t column, std::uint64_t rows,
                        std::uint64_t columns) {
    return Tile{reinterpret_cast<std::byte*>(matrix.data() + row * 8 + column), rows,
                columns * sizeof(int), 8 * sizeof(int)};
  };
  (void)runtime().Register("left", tile(0, 0, 8, 4));
  const Handle right = runtime().Register("right", tile(0, 4, 8, 4));
  EXPECT_DEATH((void)runtime().Register("middle", tile(3, 5, 2, 2)),
               "blocks share no memory, but middle and right do");
  EXPECT_TRUE(runtime().Unregister(right).ok());
  (void)runtime().Register("middle", tile(3, 5, 2, 2));
}

}  // namespace
}  // namespace taskrt
