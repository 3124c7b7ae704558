// Commutative tasks: in any order, one at a time.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "lwt/event.h"
#include "lwt/spawn.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

using std::chrono::seconds;

TEST(Commutative, ATaskThatCanBeginDoesNotWaitForThoseSubmittedBefore) {
  const auto runtime = MakeRuntime({});
  std::vector<int> sum(5, 0), source(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum)),
               from = runtime->Register("source", TileOf(source));
  lwt::Event second_has_run;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    return second_has_run.WaitFor(seconds(20)) ? absl::OkStatus() : absl::InternalError("never");
  });
  const Kernel sets = Kernel("sets").OnHost([&](auto tiles, auto scalars) {
    second_has_run.Set();
    return AddOne(tiles, scalars);
  });
  runtime->Submit(waits, {{from, Mode::kOut}});
  runtime->Submit(kAddOnHost, {{from, Mode::kIn}, {total, Mode::kCommutative}});
  runtime->Submit(sets, {{total, Mode::kCommutative}});
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(sum, std::vector<int>(5, 2));
}

TEST(Commutative, TasksRunOneAtATimeThoughTheirBlocksCross) {
  for (const int devices : {0, 2}) {
    const auto runtime = MakeRuntime(std::vector<SimulatedDeviceOptions>(
        static_cast<std::size_t>(devices), SimulatedDeviceOptions{.latency_s = 1e-6}));
    constexpr int kBlocks = 4, kRounds = 150;
    std::vector<std::vector<int>> values(kBlocks, std::vector<int>(5, 0));
    std::vector<Handle> handles;
    for (auto& one : values) handles.push_back(runtime->Register("one", TileOf(one)));
    // Nobody else is at its blocks meanwhile.
    std::array<std::atomic<int>, kBlocks> inside = {};
    std::atomic<int> crowds{0};
    const auto adds = [&](std::span<const Tile> tiles, auto) {
      const auto of = [&](const Tile& tile) -> std::atomic<int>& {
        return inside[static_cast<std::size_t>(Ints(tile)[1])];
      };
      for (const Tile& tile : tiles) crowds += of(tile).fetch_add(1) != 0;
      for (const Tile& tile : tiles) {
        int& value = Ints(tile)[0];
        const int before = value;
        lwt::Yield();
        value = before + 1;
      }
      for (const Tile& tile : tiles) of(tile).fetch_sub(1);
      return absl::OkStatus();
    };
    const Kernel both = Kernel("both").OnHost(adds);
    const Kernel one_of_them = Kernel("one").OnHost(adds).OnSimulated(adds);
    for (int i = 0; i < kBlocks; ++i) values[static_cast<std::size_t>(i)][1] = i;
    for (int i = 0; i < kRounds; ++i) {
      const auto a = static_cast<std::size_t>(i % kBlocks), b = (a + 1) % kBlocks;
      runtime->Submit(both, {{handles[b], Mode::kCommutative}, {handles[a], Mode::kCommutative}});
      // On a device where there is one.
      runtime->Submit(one_of_them, {{handles[a], Mode::kCommutative}});
    }
    const absl::Status done = runtime->Wait();
    ASSERT_TRUE(done.ok()) << done;
    int total = 0;
    for (const auto& one : values) total += one[0];
    EXPECT_EQ(total, 3 * kRounds);
    EXPECT_EQ(crowds.load(), 0);
  }
}

TEST(Commutative, AlsoTheTasksOfAGraph) {
  const auto runtime = MakeRuntime({{.name = "sim:0"}});
  std::vector<int> sum(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum));
  Graph graph(*runtime);
  for (int i = 0; i < 20; ++i) {
    graph.Submit(i % 3 == 0 ? kAddOnHost : kAdd, {{total, Mode::kCommutative}});
  }
  for (int run = 0; run < 3; ++run) EXPECT_TRUE(graph.Run().ok());
  EXPECT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(sum, std::vector<int>(5, 60));
}

TEST(Commutative, ATaskHasTheMemoryThatItsBlockHadWhenItWasSubmitted) {
  const auto runtime = MakeRuntime({{.name = "sim:0"}});
  std::vector<int> first(5, 0), second(5, 0), gate(5, 0);
  const Handle block = runtime->Register("block", TileOf(first)),
               from = runtime->Register("gate", TileOf(gate));
  lwt::Event may_go;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    return may_go.WaitFor(seconds(20)) ? absl::OkStatus() : absl::InternalError("never");
  });
  runtime->Submit(waits, {{from, Mode::kOut}});
  runtime->Submit(kAddOnHost, {{from, Mode::kIn}, {block, Mode::kCommutative}});
  ASSERT_TRUE(runtime->Resize(block, TileOf(second)).ok());
  may_go.Set();
  runtime->Submit(kAddOnHost, {{block, Mode::kInOut}});
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(first, std::vector<int>(5, 1));
  EXPECT_EQ(second, std::vector<int>(5, 1));
}

}  // namespace
}  // namespace taskrt
