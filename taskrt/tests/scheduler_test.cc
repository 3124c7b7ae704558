// Where tasks run, on simulated devices, and what is copied for that.
#include "taskrt/schedulers/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/cost_model.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

// A device for each speed, in operations a second.
std::unique_ptr<Runtime> MakeRuntime(std::unique_ptr<Scheduler> scheduler,
                                     const std::vector<double>& speeds) {
  RuntimeOptions options;
  options.pool.workers = 4;
  options.pool.simulation = lwt::SimulationOptions{};
  options.scheduler = std::move(scheduler);
  for (const double speed : speeds) {
    options.devices.push_back(
        std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{.flops_per_s = speed}));
  }
  auto runtime = Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  return *std::move(runtime);
}

// On four equal devices: the answer, and no copy more than the places need.
std::unique_ptr<Runtime> ExpectRight(std::unique_ptr<Scheduler> scheduler) {
  constexpr int kBlocks = 16;
  Mixed expected(kBlocks), mixed(kBlocks);
  expected.ComputeAlone();
  auto runtime = MakeRuntime(std::move(scheduler), std::vector<double>(4, 1e10));
  const absl::Status done = mixed.Compute(*runtime, OnSimulated(false));
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  const RuntimeCounts counts = runtime->counts();
  EXPECT_EQ(counts.tasks, 816u);
  EXPECT_EQ(counts.copies.copies(), counts.least.copies);
  return runtime;
}

std::size_t TasksAt(const Runtime& runtime, Place place) {
  const std::vector<Place> places = runtime.places();
  return static_cast<std::size_t>(std::count(places.begin(), places.end(), place));
}

TEST(Scheduler, LocalityCopiesLessThanTurnsAndUsesAllDevices) {
  const auto in_turn = ExpectRight(std::make_unique<RoundRobin>());
  const auto local = ExpectRight(std::make_unique<Locality>());
  EXPECT_LT(local->counts().copies.copies(), in_turn->counts().copies.copies() * 2 / 3);
  for (Place place = 1; place <= 4; ++place) EXPECT_GT(TasksAt(*local, place), 816u / 16) << place;
}

TEST(Scheduler, EarliestFinishUsesAllDevicesThatAreEquallyFast) {
  const auto runtime = ExpectRight(std::make_unique<EarliestFinish>());
  for (Place place = 1; place <= 4; ++place) {
    EXPECT_GT(TasksAt(*runtime, place), 816u / 16) << place;
  }
}

TEST(Scheduler, EarliestFinishGivesAFasterDeviceMore) {
  const auto runtime = MakeRuntime(std::make_unique<EarliestFinish>(), {1e8, 1e9});
  Mixed mixed(12);
  ASSERT_TRUE(mixed.Compute(*runtime, OnSimulated(false)).ok());
  EXPECT_GT(TasksAt(*runtime, 2), 4 * TasksAt(*runtime, 1));
}

TEST(CostModel, ReturnsThePlacesEstimateUntilItHasSeenTheKernelThere) {
  CostModel costs;
  EXPECT_EQ(costs.Expect("gemm", 1, 1e9, 1e10), 0.1);
  EXPECT_EQ(costs.Expect("gemm", 1, 1e9, 0), 0);
  costs.Learn("gemm", 1, 3);
  costs.Learn("gemm", 1, 5);
  EXPECT_EQ(costs.Expect("gemm", 1, 1e9, 1e10), 4);
  EXPECT_EQ(costs.Expect("gemm", 2, 1e9, 1e10), 0.1);
  EXPECT_EQ(costs.Expect("syrk", 1, 1e9, 1e10), 0.1);
  for (int i = 0; i < 200; ++i) costs.Learn("gemm", 1, 8);
  EXPECT_NEAR(costs.Expect("gemm", 1, 1e9, 1e10), 8, 1e-3);
}

TEST(Scheduler, AnIdlePlaceStealsAndNothingIsLost) {
  auto scheduler = std::make_unique<Stealing>();
  const Stealing& stealing = *scheduler;
  const auto runtime = MakeRuntime(std::move(scheduler), {1e9, 1e9});
  // All that is read lies on the device that has written it.
  std::vector<int> source(Mixed::kInts, 1);
  std::vector<std::vector<int>> sums(64, std::vector<int>(Mixed::kInts));
  const Kernel mix = Kernel("mix").OnSimulated(Mix).Flops(1e6);
  const absl::Status done = runtime->Run([&](Runtime& rt) {
    const Handle from = rt.Register("source", TileOf(source));
    rt.Submit(mix, {{from, Mode::kInOut}});
    for (std::vector<int>& sum : sums) {
      rt.Submit(mix, {{from, Mode::kIn}, {rt.Register("sum", TileOf(sum)), Mode::kInOut}});
    }
    return rt.Wait();
  });
  ASSERT_TRUE(done.ok()) << done;
  for (const std::vector<int>& sum : sums) EXPECT_EQ(sum, std::vector<int>(Mixed::kInts, 15));
  EXPECT_GT(stealing.steals(), 0u);
  EXPECT_GT(TasksAt(*runtime, 1), 16u);
  EXPECT_GT(TasksAt(*runtime, 2), 16u);
  ExpectRight(std::make_unique<Stealing>());
}

TEST(Scheduler, AScheduleThatIsReplayedPlacesAndCopiesTheSame) {
  const auto first = ExpectRight(std::make_unique<Stealing>());
  auto scheduler = std::make_unique<Replay>(first->places());
  const Replay& replay = *scheduler;
  const auto again = ExpectRight(std::move(scheduler));
  EXPECT_EQ(again->places(), first->places());
  EXPECT_EQ(again->counts().copies, first->counts().copies);
  EXPECT_EQ(replay.others(), 0u);
}

TEST(Scheduler, TasksThatAScheduleDoesNotHaveAreCounted) {
  auto scheduler = std::make_unique<Replay>(std::vector<Place>{1, 7, 2});
  const Replay& replay = *scheduler;
  const auto runtime = MakeRuntime(std::move(scheduler), {1e9, 1e9});
  std::vector<int> values(Mixed::kInts);
  const Handle handle = runtime->Register("values", TileOf(values));
  const Kernel mix = Kernel("mix").OnSimulated(Mix);
  for (int i = 0; i < 4; ++i) {
    runtime->Run([&](Runtime& rt) { rt.Submit(mix, {{handle, Mode::kInOut}}); });
  }
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(runtime->places(), (std::vector<Place>{1, 1, 2, 1}));
  EXPECT_EQ(replay.others(), 2u);
}

TEST(Scheduler, ThePriorityOfReadyTasksCountsBeforeTheirOrder) {
  RuntimeOptions options;
  options.pool.workers = 1;
  options.pool.simulation = lwt::SimulationOptions{};
  options.scheduler = std::make_unique<Stealing>();
  const auto runtime = *Runtime::Create(std::move(options));
  std::vector<int> order;
  const Kernel notes = Kernel("notes").OnHost([&](auto, std::span<const std::byte> scalars) {
    order.push_back(static_cast<int>(scalars[0]));
    return absl::OkStatus();
  });
  lwt::Event are_all_there;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    are_all_there.Wait();
    return absl::OkStatus();
  });
  std::vector<int> values(Mixed::kInts);
  const Handle handle = runtime->Register("values", TileOf(values));
  const absl::Status done = runtime->Run([&](Runtime& rt) {
    rt.Submit(waits, {{handle, Mode::kIn}});  // The only worker's task.
    for (const int priority : {0, 2, 1, 2}) {
      const auto scalar = static_cast<std::byte>(priority);
      rt.Submit(notes, {{handle, Mode::kIn}}, {&scalar, 1}, {.priority = priority});
    }
    are_all_there.Set();
    return rt.Wait();
  });
  ASSERT_TRUE(done.ok()) << done;
  EXPECT_EQ(order, (std::vector<int>{2, 2, 1, 0}));
}

// A program's own policy: a task waits for the place that will have most of its blocks' bytes.
class MostBytes final : public Scheduler {
 public:
  struct Seen {
    std::size_t added = 0, ended = 0;
  };
  explicit MostBytes(Seen& seen) : seen_(seen) {}

  Place PlaceFor(TaskView, std::span<const Place>) override { return kWhenReady; }
  void Add(TaskView task, std::span<const Place> places) override {
    ++seen_.added;
    const Place best = *std::max_element(places.begin(), places.end(), [&](Place a, Place b) {
      return BytesAt(task, a) < BytesAt(task, b);
    });
    waiting_.emplace_back(task, best);
  }
  std::optional<TaskView> Next(Place place) override {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const auto& each) { return each.second == place; });
    if (found == waiting_.end()) return std::nullopt;
    const TaskView task = found->first;
    waiting_.erase(found);
    EXPECT_EQ(task.place(), kWhenReady);
    return task;
  }
  void Ended(TaskView task, std::optional<double> seconds) override {
    EXPECT_TRUE(seconds.has_value());
    EXPECT_GT(task.place(), kHost);
    ++seen_.ended;
  }

 private:
  static std::uint64_t BytesAt(TaskView task, Place place) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < task.access_count(); ++i) {
      const AccessView access = task.access(i);
      if (Reads(access.mode()) && access.IsPlannedAt(place)) bytes += access.bytes();
    }
    return bytes;
  }

  Seen& seen_;
  std::vector<std::pair<TaskView, Place>> waiting_;
};

TEST(Scheduler, APolicyOfAProgramDecidesByTheViewOfATask) {
  MostBytes::Seen seen;
  (void)ExpectRight(std::make_unique<MostBytes>(seen));
  EXPECT_EQ(seen.added, 816u);
  EXPECT_EQ(seen.ended, 816u);
}

TEST(Scheduler, WherePlacesAreChosenLateThereIsNoPlan) {
  RuntimeOptions options;
  options.only_plans = true;
  options.scheduler = std::make_unique<Stealing>();
  options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  const auto runtime = *Runtime::Create(std::move(options));
  std::vector<int> values(Mixed::kInts);
  const Kernel mix = Kernel("mix").OnSimulated(Mix);
  runtime->Submit(mix, {{runtime->Register("values", TileOf(values)), Mode::kInOut}});
  EXPECT_EQ(runtime->Plan().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ReadySchedulers, ABlockIsWaitedForAndGraphsRunOnOneWorkerToo) {
  for (const bool steals : {false, true}) {
    RuntimeOptions options;
    options.pool.workers = 1;
    if (steals) {
      options.scheduler = std::make_unique<Stealing>();
    } else {
      options.scheduler = std::make_unique<EarliestFinish>();
    }
    const auto runtime = *Runtime::Create(std::move(options));
    const Kernel mix = Kernel("mix").OnHost(Mix);
    std::vector<int> values(Mixed::kInts, 0);
    const Handle handle = runtime->Register("values", TileOf(values));
    for (int i = 0; i < 3; ++i) runtime->Submit(mix, {{handle, Mode::kInOut}});
    EXPECT_TRUE(runtime->WaitOn(handle).ok());
    EXPECT_EQ(values, std::vector<int>(Mixed::kInts, 21));
    EXPECT_TRUE(runtime->Wait().ok());
    Graph graph(*runtime);
    graph.Submit(mix, {{handle, Mode::kInOut}});
    EXPECT_TRUE(graph.Run().ok());
    EXPECT_EQ(values, std::vector<int>(Mixed::kInts, 28));
    // By a task, which has the only worker.
    std::vector<int> others(Mixed::kInts, 0);
    const Handle other = runtime->Register("others", TileOf(others));
    const Kernel waits =
        Kernel("waits").OnHost([&](auto, auto) { return runtime->WaitOn(handle); });
    runtime->Submit(waits, {{other, Mode::kInOut}});
    EXPECT_TRUE(runtime->Wait().ok());
  }
}

}  // namespace
}  // namespace taskrt
