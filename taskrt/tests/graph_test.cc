// Tasks that are run again and again, against what one thread computes.
#include "taskrt/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/mixed.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

constexpr int kCount = 12, kRuns = 3;
constexpr std::uint64_t kTasks = 12 * 13 * 14 / 6, kBlocks = 12 * 13 / 2;

std::unique_ptr<Runtime> MakeRuntime(int devices, std::unique_ptr<Scheduler> scheduler = nullptr) {
  RuntimeOptions options;
  options.pool.workers = 2;
  if (scheduler != nullptr) options.scheduler = std::move(scheduler);
  for (int i = 0; i < devices; ++i) {
    options.devices.push_back(
        std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{.latency_s = 1e-6}));
  }
  return *Runtime::Create(std::move(options));
}

// Runs a factorization's tasks, which mix, and expects what is right.
RuntimeCounts ExpectRight(Runtime& runtime, const Kernel& kernel) {
  Mixed expected(kCount);
  std::vector<std::vector<int>> blocks = expected.blocks();
  std::vector<Handle> handles;
  for (std::vector<int>& block : blocks) handles.push_back(runtime.Register("b", TileOf(block)));
  Graph graph(runtime);
  cholesky::ForEachTask(kCount, [&](const cholesky::Task& task) {
    std::vector<Access> accesses;
    for (const PlannedAccess& access : AccessesOf(task, kCount)) {
      accesses.push_back({handles[access.block], access.mode});
    }
    graph.Submit(kernel, accesses);
  });
  EXPECT_EQ(graph.size(), kTasks);
  for (int run = 0; run < kRuns; ++run) {
    expected.ComputeAlone();
    const absl::Status ran = graph.Run();
    EXPECT_TRUE(ran.ok()) << ran;
  }
  EXPECT_TRUE(runtime.Wait().ok());
  EXPECT_EQ(blocks, expected.blocks());
  EXPECT_EQ(runtime.counts().tasks, kRuns * kTasks);
  return runtime.counts();
}

TEST(Graph, RunsItsTasksInOrderEachTime) {
  ExpectRight(*MakeRuntime(0), Kernel("mix").OnHost(Mix));
  ExpectRight(*MakeRuntime(0, std::make_unique<Stealing>()), Kernel("mix").OnHost(Mix));
}

TEST(Graph, BlocksOnADeviceStayThereBetweenItsRuns) {
  const RuntimeCounts counts = ExpectRight(*MakeRuntime(1), Kernel("mix").OnSimulated(Mix));
  EXPECT_EQ(counts.tasks_on_devices, kRuns * kTasks);
  EXPECT_EQ(counts.copies.h2d.copies, kBlocks);
  EXPECT_EQ(counts.copies.d2h.copies, kBlocks);
}

TEST(Graph, CopiesNoMoreThanItsPlacesNeed) {
  const auto owners = MakeRuntime(2, std::make_unique<Stealing>());
  const auto in_turn = MakeRuntime(2);
  for (Runtime* const runtime : {owners.get(), in_turn.get()}) {
    const RuntimeCounts counts = ExpectRight(*runtime, Kernel("mix").OnSimulated(Mix));
    EXPECT_EQ(counts.copies.copies(), counts.least.copies);
  }
}

// One block, whose value is multiplied and added to.
class GraphAmongOthers : public testing::Test {
 protected:
  Kernel Times(int factor) {
    return Kernel("times").OnHost([factor](auto tiles, auto) {
      Ints(tiles[0])[0] *= factor;
      return absl::OkStatus();
    });
  }

  const std::unique_ptr<Runtime> runtime_ = MakeRuntime(0);
  std::vector<int> value_ = {1};
  const Handle handle_ = runtime_->Register("value", TileOf(value_));
  const Kernel doubles_ = Times(2);
  const Kernel adds_ = Kernel("adds").OnHost([](auto tiles, auto) {
    ++Ints(tiles[0])[0];
    return absl::OkStatus();
  });
};

TEST_F(GraphAmongOthers, ARunComesAfterTasksSubmittedBeforeItAndBeforeLaterOnes) {
  lwt::Event go;
  const Kernel waits = Kernel("waits").OnHost([&](auto tiles, auto) {
    go.Wait();
    Ints(tiles[0])[0] = 5;
    return absl::OkStatus();
  });
  Graph graph(*runtime_);
  graph.Submit(doubles_, {{handle_, Mode::kInOut}});
  graph.Submit(adds_, {{handle_, Mode::kInOut}});
  runtime_->Run([&](Runtime& rt) {
    rt.Submit(waits, {{handle_, Mode::kInOut}});
    lwt::Thread runs = lwt::Spawn([&] { EXPECT_TRUE(graph.Run().ok()); });
    go.Set();
    runs.Join();
    rt.Submit(doubles_, {{handle_, Mode::kInOut}});
    EXPECT_TRUE(rt.Wait().ok());
  });
  EXPECT_EQ(value_[0], (5 * 2 + 1) * 2);
}

TEST_F(GraphAmongOthers, AnErrorIsReportedAndTheTasksAfterItAreLeftOut) {
  const Kernel fails =
      Kernel("fails").OnHost([](auto, auto) { return absl::DataLossError("it is not good"); });
  Graph graph(*runtime_);
  graph.Submit(adds_, {{handle_, Mode::kInOut}});
  graph.Submit(fails, {{handle_, Mode::kInOut}});
  graph.Submit(adds_, {{handle_, Mode::kInOut}});
  EXPECT_THAT(graph.Run().ToString(), HasSubstr("task fails(inout value): it is not good"));
  EXPECT_EQ(value_[0], 2);
  EXPECT_FALSE(graph.Run().ok()) << "nothing runs until it is told by Wait";
  EXPECT_EQ(value_[0], 2);
  EXPECT_FALSE(runtime_->Wait().ok());
  EXPECT_FALSE(graph.Run().ok());
  EXPECT_EQ(value_[0], 3);
  EXPECT_FALSE(runtime_->Wait().ok());
  EXPECT_EQ(runtime_->counts().tasks, 4u);
}

TEST_F(GraphAmongOthers, ItGrowsAndSoDoItsBlocks) {
  Graph graph(*runtime_);
  EXPECT_TRUE(graph.Run().ok());
  graph.Submit(adds_, {{handle_, Mode::kInOut}});
  EXPECT_TRUE(graph.Run().ok());
  graph.Submit(doubles_, {{handle_, Mode::kInOut}});
  EXPECT_TRUE(graph.Run().ok());
  EXPECT_EQ(value_[0], 6);
  std::vector<int> other = {10, 0};
  ASSERT_TRUE(runtime_->Resize(handle_, TileOf(other)).ok());
  EXPECT_TRUE(graph.Run().ok());
  EXPECT_EQ(other[0], 22);
  EXPECT_EQ(runtime_->counts().tasks, 5u);
}

}  // namespace
}  // namespace taskrt
