// Reductions: at the same time, and nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lwt/event.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

TEST(Reduction, TasksThatMeetEachOtherAddAtTheSameTime) {
  const auto runtime = MakeRuntime({});
  std::vector<int> sum(5, 100);
  const Handle total = runtime->Register("sum", TileOf(sum));
  runtime->SetReduction(total, kZero, kCombine);
  lwt::Event is_here[2];
  std::atomic<int> next{0};
  const Kernel meets = Kernel("meets").OnHost([&](auto tiles, auto scalars) {
    const int me = next.fetch_add(1);
    is_here[me].Set();
    if (!is_here[1 - me].WaitFor(seconds(20))) return absl::InternalError("alone");
    return AddOne(tiles, scalars);
  });
  for (int i = 0; i < 2; ++i) runtime->Submit(meets, {{total, Mode::kReduction}});
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(sum, std::vector<int>(5, 102));
  EXPECT_EQ(runtime->counts().tasks, 6u);  // Two set, two add, two combine.
}

TEST(Reduction, AReaderOrWriterOfTheBlockFindsAllThatWasAddedBefore) {
  const auto runtime = MakeRuntime({});
  std::vector<int> sum(5, 0), seen(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum)),
               copy = runtime->Register("copy", TileOf(seen));
  runtime->SetReduction(total, kZero, kCombine);
  const Kernel doubles = Kernel("double").OnHost([](auto tiles, auto) {
    for (int& value : Ints(tiles[0])) value *= 2;
    return absl::OkStatus();
  });
  int expected = 0, expected_seen = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 7; ++i) runtime->Submit(kAdd, {{total, Mode::kReduction}});
    runtime->Submit(kCombine, {{copy, Mode::kInOut}, {total, Mode::kIn}});
    expected += 7;
    expected_seen += expected;
    for (int i = 0; i < 3; ++i) runtime->Submit(kAdd, {{total, Mode::kReduction}});
    runtime->Submit(doubles, {{total, Mode::kInOut}});
    expected = 2 * (expected + 3);
    for (int i = 0; i < 2; ++i) runtime->Submit(kAdd, {{total, Mode::kReduction}});
    runtime->Submit(kAdd, {{total, Mode::kCommutative}});
    expected += 3;
  }
  ASSERT_TRUE(runtime->WaitOn(total).ok());
  EXPECT_EQ(sum, std::vector<int>(5, expected));
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(seen, std::vector<int>(5, expected_seen));
}

// A task that adds and fails leaves the tasks before it alone, and the sum is missing then.
TEST(Reduction, AfterATaskThatFailsTheSumIsMissingWhereOthersGoOn) {
  RuntimeOptions options;
  options.pool.workers = 2;
  options.stops_at_errors = false;
  const auto runtime = *Runtime::Create(std::move(options));
  std::vector<int> sum(5, 0), seen(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum)),
               copy = runtime->Register("copy", TileOf(seen));
  runtime->SetReduction(total, kZero, kCombine);
  lwt::Event go;
  const Kernel first = Kernel("first").OnHost([&](auto tiles, auto) {
    go.Wait();  // So that the task that fails has failed before.
    for (int& value : Ints(tiles[0])) value = 5;
    return absl::OkStatus();
  });
  const Kernel fails = Kernel("fails").OnHost(
      [](auto, auto) -> absl::Status { return absl::AbortedError("on purpose"); });
  const Completion writes = runtime->Submit(first, {{total, Mode::kOut}});
  const Completion reads = runtime->Submit(kCombine, {{copy, Mode::kInOut}, {total, Mode::kIn}});
  const Completion failed = runtime->Submit(fails, {{total, Mode::kReduction}});
  EXPECT_TRUE(absl::IsAborted(failed.Wait()));
  go.Set();
  EXPECT_TRUE(writes.Wait().ok() && reads.Wait().ok());
  const Completion reads_after =
      runtime->Submit(kCombine, {{copy, Mode::kInOut}, {total, Mode::kIn}});
  EXPECT_TRUE(absl::IsCancelled(reads_after.Wait()));
  EXPECT_TRUE(absl::IsCancelled(runtime->WaitOn(total, Mode::kInOut)));
  // The program has made another value, to which later tasks add.
  for (int i = 0; i < 3; ++i) runtime->Submit(kAdd, {{total, Mode::kReduction}});
  EXPECT_TRUE(absl::IsAborted(runtime->Wait()));
  EXPECT_EQ(seen, std::vector<int>(5, 5));
  EXPECT_EQ(sum, std::vector<int>(5, 5 + 3));
}

TEST(Reduction, EachDeviceAddsToItsOwnAndOnlySumsAreCopied) {
  const auto runtime = MakeRuntime({{.name = "sim:0"}, {.name = "sim:1"}});
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  const Kernel combine = Kernel("combine").OnHost(AddSecond);
  std::vector<int> sum(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum));
  runtime->SetReduction(total, kZero, combine);
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 50; ++i) runtime->Submit(adds, {{total, Mode::kReduction}});
    ASSERT_TRUE(runtime->WaitOn(total).ok());
    EXPECT_EQ(sum, std::vector<int>(5, 50 * round));
  }
  ASSERT_TRUE(runtime->Wait().ok());
  const RuntimeCounts counts = runtime->counts();
  EXPECT_EQ(counts.copies.h2d.copies, 0u);
  EXPECT_EQ(counts.copies.d2d.copies, 0u);
  EXPECT_EQ(counts.copies.d2h.copies, 6u);  // Of two devices, three times.
  EXPECT_EQ(counts.least.copies, 6u);
  EXPECT_EQ(counts.tasks_on_devices, 3u * (50 + 2));
}

TEST(Reduction, TheRunCopiesWhatThePlanSays) {
  for (const bool only_plans : {true, false}) {
    RuntimeOptions options;
    options.pool.workers = 2;
    options.only_plans = only_plans;
    for (int i = 0; i < 2; ++i)
      options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
    const auto runtime = *Runtime::Create(std::move(options));
    std::vector<int> sum(5, 0), source(5, 1);
    const Handle total = runtime->Register("sum", TileOf(sum)),
                 from = runtime->Register("source", TileOf(source));
    runtime->SetReduction(total, kZero, kCombine);
    const Kernel adds = Kernel("add").OnSimulated(AddOne);
    for (int i = 0; i < 6; ++i) {
      runtime->Submit(adds, {{from, Mode::kIn}, {total, Mode::kReduction}});
    }
    ASSERT_TRUE(runtime->WaitOn(total).ok());
    ASSERT_TRUE(runtime->Wait().ok());
    const CopyCounts copies = only_plans ? runtime->Plan()->copies : runtime->counts().copies;
    // The source to each device; partial sums and the sum to where they are combined, and home.
    EXPECT_EQ(copies.h2d.copies + copies.d2d.copies, 2u + 2u);
    EXPECT_EQ(copies.d2h.copies, 1u) << only_plans;
  }
}

TEST(Reduction, AnySchedulerAndShortMemoryAndGraphsLoseNothing) {
  const auto make = [](int which) -> std::unique_ptr<Scheduler> {
    if (which == 0) return std::make_unique<OwnerComputes>();
    if (which == 1) return std::make_unique<Locality>();
    if (which == 2) return std::make_unique<Stealing>();
    return std::make_unique<EarliestFinish>();
  };
  for (int which = 0; which < 4; ++which) {
    // Two blocks of 20 bytes each.
    const auto runtime = MakeRuntime({{.memory_bytes = 40}, {.memory_bytes = 40}}, make(which));
    std::vector<int> sum(5, 0);
    std::vector<std::vector<int>> sources(6, std::vector<int>(5, 1));
    const Handle total = runtime->Register("sum", TileOf(sum));
    runtime->SetReduction(total, kZero, kCombine);
    std::vector<Handle> from;
    for (auto& one : sources) from.push_back(runtime->Register("source", TileOf(one)));
    for (int i = 0; i < 60; ++i) {
      runtime->Submit(kAdd, {{from[static_cast<std::size_t>(i) % from.size()], Mode::kIn},
                             {total, Mode::kReduction}});
    }
    Graph graph(*runtime);
    for (int i = 0; i < 5; ++i) graph.Submit(kAdd, {{total, Mode::kReduction}});
    const absl::Status ran = graph.Run();
    EXPECT_TRUE(ran.ok()) << ran;
    runtime->Submit(kAdd, {{total, Mode::kReduction}});
    const absl::Status done = runtime->Wait();
    EXPECT_TRUE(done.ok()) << done;
    EXPECT_EQ(sum, std::vector<int>(5, 66)) << which;
  }
}

TEST(Reduction, AFailingReductionIsNamedWithItsPartialAndTheNextRunIsWhole) {
  const auto runtime = MakeRuntime({});
  std::vector<int> sum(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum));
  runtime->SetReduction(total, kZero, kCombine);
  const Kernel fails =
      Kernel("fails").OnHost([](auto, auto) { return absl::AbortedError("no more"); });
  runtime->Submit(fails, {{total, Mode::kReduction}});
  const absl::Status done = runtime->Wait();
  EXPECT_EQ(done.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(done.message()), HasSubstr("task fails(reduction sum/0): no more"));
  runtime->Submit(kAdd, {{total, Mode::kReduction}});
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(sum, std::vector<int>(5, 1));
}

TEST(Reduction, ABlocksEndIsAlsoItsPartialOnes) {
  const auto runtime = MakeRuntime({{.memory_bytes = 20}});
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  const Kernel combine = Kernel("combine").OnHost(AddSecond);
  for (int round = 0; round < 5; ++round) {
    std::vector<int> sum(5, 0), grown(3, 0);
    const Handle total = runtime->Register("sum", TileOf(sum));
    runtime->SetReduction(total, kZero, combine);
    runtime->Submit(adds, {{total, Mode::kReduction}});
    EXPECT_EQ(runtime->Resize(total, TileOf(grown)).code(), absl::StatusCode::kFailedPrecondition);
    ASSERT_TRUE(runtime->WaitOn(total, Mode::kInOut).ok());
    ASSERT_TRUE(runtime->Resize(total, TileOf(grown)).ok());
    runtime->Submit(adds, {{total, Mode::kReduction}});
    ASSERT_TRUE(runtime->WaitOn(total, Mode::kInOut).ok());
    EXPECT_EQ(sum, std::vector<int>(5, 1));
    EXPECT_EQ(grown, std::vector<int>(3, 1));
    ASSERT_TRUE(runtime->Unregister(total).ok());
  }
}

// A simulated device that calls the test whenever it is waited for.
class CallingDevice : public Device {
 public:
  explicit CallingDevice(std::function<void()>& call) : call_(call) {}
  std::string name() const override { return its_.name(); }
  std::uint64_t memory_bytes() const override { return 0; }
  bool CanRun(const Kernel& kernel) const override { return its_.CanRun(kernel); }
  absl::StatusOr<DeviceMemory> Allocate(std::uint64_t bytes) override {
    return its_.Allocate(bytes);
  }
  void Free(DeviceMemory memory) override { its_.Free(memory); }
  absl::StatusOr<Ticket> CopyIn(const Tile& from, DeviceMemory to, Ticket after) override {
    return its_.CopyIn(from, to, after);
  }
  absl::StatusOr<Ticket> CopyOut(DeviceMemory from, const Tile& to, Ticket after) override {
    return its_.CopyOut(from, to, after);
  }
  absl::StatusOr<Ticket> CopyAcross(Device& source, DeviceMemory from, DeviceMemory to) override {
    return its_.CopyAcross(source, from, to);
  }
  absl::StatusOr<Ticket> Launch(const Kernel& kernel, std::span<const Tile> tiles,
                                std::span<const std::byte> scalars, std::span<const Ticket> after,
                                std::uint64_t far_bytes) override {
    return its_.Launch(kernel, tiles, scalars, after, far_bytes);
  }
  absl::Status Wait(Ticket ticket) override {
    if (const auto call = std::exchange(call_, nullptr)) call();
    return its_.Wait(ticket);
  }

 private:
  SimulatedDevice its_{{}};
  std::function<void()>& call_;
};

// Only the block's partial one was ever on a device; that is dropped first.
TEST(Reduction, AnAdditionOfAnotherThreadInTheMiddleOfAResizeRefusesIt) {
  std::function<void()> call;
  RuntimeOptions options;
  options.pool.workers = 2;
  options.devices.push_back(std::make_unique<CallingDevice>(call));
  const auto runtime = *Runtime::Create(std::move(options));
  const Kernel adds = Kernel("add").OnSimulated(AddOne);
  const Kernel combine = Kernel("combine").OnHost(AddSecond);
  std::vector<int> sum(3, 0), grown(5, 10);
  const Handle total = runtime->Register("sum", TileOf(sum));
  runtime->SetReduction(total, kZero, combine);
  runtime->Submit(adds, {{total, Mode::kReduction}});
  ASSERT_TRUE(runtime->WaitOn(total, Mode::kInOut).ok());
  call = [&] { runtime->Submit(kAddOnHost, {{total, Mode::kReduction}}); };
  EXPECT_EQ(runtime->Resize(total, TileOf(grown)).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(call, nullptr) << "another thread has not added";
  ASSERT_TRUE(runtime->WaitOn(total, Mode::kInOut).ok());
  EXPECT_EQ(sum, std::vector<int>(3, 2));
  EXPECT_TRUE(runtime->Resize(total, TileOf(grown)).ok());
  runtime->Submit(kAddOnHost, {{total, Mode::kReduction}});
  ASSERT_TRUE(runtime->WaitOn(total).ok());
  EXPECT_EQ(grown, std::vector<int>(5, 11));
}

TEST(Reduction, AdditionsOfTasksOfTasksAreWaitedForToo) {
  for (const int workers : {1, 2}) {
    RuntimeOptions options;
    options.pool.workers = workers;
    const auto runtime = *Runtime::Create(std::move(options));
    std::vector<int> sum(5, 0);
    const Handle total = runtime->Register("sum", TileOf(sum));
    runtime->SetReduction(total, kZero, kCombine);
    const Kernel spawns = Kernel("spawns").OnHost([&](auto, auto) {
      for (int i = 0; i < 3; ++i) runtime->Submit(kAdd, {{total, Mode::kReduction}});
      return absl::OkStatus();
    });
    for (int round = 1; round <= 3; ++round) {
      runtime->Submit(spawns, {});
      ASSERT_TRUE(runtime->Wait().ok());
      EXPECT_EQ(sum, std::vector<int>(5, 3 * round));
    }
  }
}

TEST(Reduction, AnAdditionThatAFailureLeftOutIsNotInTheNextSum) {
  const auto runtime = MakeRuntime({});
  std::vector<int> sum(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum));
  runtime->SetReduction(total, kZero, kCombine);
  runtime->Submit(kAdd, {{total, Mode::kReduction}});
  ASSERT_TRUE(runtime->Wait().ok());
  const Kernel fails = Kernel("fails").OnHost([&](auto, auto) {
    // Left out, and so is what sets its partial block.
    for (int i = 0; i < 4; ++i) runtime->Submit(kAdd, {{total, Mode::kReduction}});
    return absl::AbortedError("no more");
  });
  for (int round = 0; round < 20; ++round) {
    runtime->Submit(fails, {});
    EXPECT_EQ(runtime->Wait().code(), absl::StatusCode::kAborted);
  }
  const int before = sum[0];  // Some may have begun.
  for (int i = 0; i < 4; ++i) runtime->Submit(kAdd, {{total, Mode::kReduction}});
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(sum, std::vector<int>(5, before + 4));
}

TEST(Reduction, AReplayRunsTheUsersTasksWhereTheyWere) {
  std::vector<Place> recorded;
  std::vector<int> sum(5, 0);
  const auto run = [&](std::unique_ptr<Scheduler> scheduler) {
    const auto runtime = MakeRuntime({{.name = "sim:0"}, {.name = "sim:1"}}, std::move(scheduler));
    const Handle total = runtime->Register("sum", TileOf(sum));
    runtime->SetReduction(total, kZero, kCombine);
    for (int i = 0; i < 12; ++i) {
      runtime->Submit(i % 3 == 0 ? kAddOnHost : kAdd, {{total, Mode::kReduction}});
      if (i % 5 == 4) {
        EXPECT_TRUE(runtime->WaitOn(total).ok());
      }
    }
    EXPECT_TRUE(runtime->Wait().ok());
    return runtime->places();
  };
  recorded = run(std::make_unique<Stealing>());
  EXPECT_EQ(recorded.size(), 12u);
  EXPECT_EQ(run(std::make_unique<Replay>(recorded)), recorded);
  EXPECT_EQ(sum, std::vector<int>(5, 24));
}

TEST(Reduction, FromOutsideOfAPoolThatIsSimulatedIsWaitedFor) {
  const auto runtime = MakeSimulatedRuntime(1);
  std::vector<int> sum(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum));
  runtime->SetReduction(total, kZero, kCombine);
  runtime->Run([&](Runtime& rt) {
    for (int i = 0; i < 5; ++i) rt.Submit(kAdd, {{total, Mode::kReduction}});
    return 0;
  });
  EXPECT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(sum, std::vector<int>(5, 5));
}

TEST(ReductionDeath, ABlockDoesNotEndBeforeWhatWasAddedIsCombined) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto runtime = MakeRuntime({});
  std::vector<int> sum(5, 0);
  const Handle total = runtime->Register("sum", TileOf(sum));
  runtime->SetReduction(total, kZero, kCombine);
  lwt::Event ended;
  const Access access = {total, Mode::kReduction};
  runtime->Submit(kAdd, std::span(&access, 1), {}, {.ended = &ended});
  ended.Wait();
  EXPECT_DEATH(runtime->Unregister(total).IgnoreError(), "no task uses block sum");
  EXPECT_DEATH(runtime->SetReduction(total, kZero, kCombine), "reduction is set once");
}

}  // namespace
}  // namespace taskrt
