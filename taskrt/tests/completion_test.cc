// The ends of tasks: waiting for one, what comes after it, and results.
#include "taskrt/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/completions.h"
#include "taskrt/typed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

TEST_F(Completions, AWaitIsForOneTask) {
  const Completion held = Submit(*runtime_, waits_, inout(a()));
  const Completion other = Submit(*runtime_, sets_, out(b()), 5L);
  EXPECT_TRUE(other.Wait().ok());
  EXPECT_TRUE(other.HasEnded());
  EXPECT_FALSE(held.HasEnded());
  gate_.Set();
  EXPECT_TRUE(held.Wait().ok());
  EXPECT_TRUE(Completion().Wait().ok());
}

TEST_F(Completions, AWaitFromATaskLeavesTheWorkerToOthers) {
  std::atomic<int> ended{0};
  const TypedKernel nested("nested", [&](View<long> value) {
    const Completion inner = Submit(*runtime_, sets_, out(b()), 7L);
    EXPECT_TRUE(inner.Wait().ok());
    value[0] = 1;
    ++ended;
  });
  Submit(*runtime_, nested, out(a()));
  ASSERT_TRUE(runtime_->Wait().ok());
  EXPECT_EQ(ended, 1);
}

TEST_F(Completions, AWaitThatCouldNeverEndIsRefused) {
  Completion itself, later;
  lwt::Event known;
  absl::Status of_itself, of_later;
  const TypedKernel asks("asks", [&](View<long>) {
    known.Wait();
    of_itself = itself.Wait();
    of_later = later.Wait();
  });
  itself = Submit(*runtime_, asks, inout(a()));
  later = Submit(*runtime_, increments_, inout(a()));
  known.Set();
  ASSERT_TRUE(runtime_->Wait().ok());
  EXPECT_TRUE(IsRefusedWait(of_itself)) << of_itself;
  EXPECT_THAT(std::string(of_itself.message()), HasSubstr("task asks(inout a) would wait for"));
  EXPECT_TRUE(IsRefusedWait(of_later)) << of_later;
}

TEST_F(Completions, EachHasItsOwnErrorAlsoAfterAWaitForAll) {
  const TypedKernel throws("throws", [](View<long>) { throw std::runtime_error("no"); });
  const Completion good = Submit(*runtime_, increments_, inout(b()));
  EXPECT_TRUE(good.Wait().ok());
  const Completion bad = Submit(*runtime_, throws, inout(a()));
  const Completion after = Submit(*runtime_, increments_, inout(a()));
  EXPECT_EQ(after.Wait().code(), absl::StatusCode::kCancelled) << after.Wait();
  EXPECT_THAT(std::string(bad.Wait().message()), HasSubstr("throws(inout a)"));
  EXPECT_EQ(runtime_->Wait().code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(bad.Wait().code(), absl::StatusCode::kUnknown);
  EXPECT_TRUE(good.Wait().ok());
  const Completion again = Submit(*runtime_, increments_, inout(a()));
  EXPECT_TRUE(again.Wait().ok());
  EXPECT_EQ(ValueOf(a()), 1);
}

TEST_F(Completions, ThenComesAfterAndOnlyAfterSuccess) {
  std::atomic<int> calls{0};
  const Completion first = Submit(*runtime_, waits_, inout(a()));
  const Completion then = first.Then("counts", [&] { ++calls; });
  EXPECT_EQ(calls, 0);
  gate_.Set();
  EXPECT_TRUE(then.Wait().ok());
  EXPECT_EQ(calls, 1);
  const TypedKernel throws("throws", [](View<long>) { throw 1; });
  EXPECT_FALSE(Submit(*runtime_, throws, inout(a())).Then("never", [&] { ++calls; }).Wait().ok());
  EXPECT_FALSE(runtime_->Wait().ok());
  EXPECT_EQ(calls, 1);
}

TEST_F(Completions, ATaskMayComeAfterOthersThatShareNoBlock) {
  const Completion first = Submit(*runtime_, waits_, inout(a()));
  const Completion before[] = {first, Completion()};
  const Completion second = Submit(*runtime_, {.after = before}, sets_, out(b()), 3L);
  const Completion third = Submit(*runtime_, sets_, out(c()), 4L);
  EXPECT_TRUE(third.Wait().ok());
  EXPECT_FALSE(second.HasEnded());
  gate_.Set();
  EXPECT_TRUE(second.Wait().ok());
  EXPECT_TRUE(first.HasEnded());
}

TEST_F(Completions, AFutureHasWhatTheBodyReturns) {
  const TypedKernel doubles("doubles", [](View<const long> value) { return 2 * value[0]; });
  const TypedKernel refuses("refuses", [](View<const long>, int code) -> absl::StatusOr<long> {
    if (code != 0) return absl::OutOfRangeError("code");
    return 9;
  });
  Submit(*runtime_, sets_, out(a()), 21L);
  Future<long> doubled = Submit(*runtime_, doubles, in(a()));
  Future<long> nine = Submit(*runtime_, {.priority = 1}, refuses, in(a()), 0);
  EXPECT_EQ(*doubled.Get(), 42);
  EXPECT_EQ(doubled.Get().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(*nine.Get(), 9);
  Future<long> refused = Submit(*runtime_, refuses, in(a()), 1);
  EXPECT_EQ(refused.Get().status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_FALSE(runtime_->Wait().ok());
}

TEST_F(Completions, AFutureMayEndBeforeItsTask) {
  const TypedKernel returns("returns", [this](View<long>) {
    gate_.Wait();
    return std::vector<int>(1000, 1);
  });
  { const Future<std::vector<int>> unused = Submit(*runtime_, returns, inout(a())); }
  gate_.Set();
  EXPECT_TRUE(runtime_->Wait().ok());
}

TEST_F(Completions, AGraphRunsWhileItsCallerGoesOn) {
  Graph graph(*runtime_);
  Submit(graph, waits_, inout(a()));
  Submit(graph, {.priority = 2}, increments_, inout(a()));
  const absl::StatusOr<Completion> run = graph.RunAsync();
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_FALSE(run->HasEnded());
  EXPECT_EQ(graph.RunAsync().status().code(), absl::StatusCode::kFailedPrecondition);
  gate_.Set();
  EXPECT_TRUE(run->Wait().ok());
  EXPECT_EQ(ValueOf(a()), 2);
  EXPECT_TRUE(graph.Run().ok());
  EXPECT_EQ(ValueOf(a()), 4);
}

TEST_F(Completions, AGraphEndsAfterItsRun) {
  std::atomic<int> ended{0};
  {
    const TypedKernel counts("counts", [&](View<long>) {
      gate_.Wait();
      ++ended;
    });
    Graph graph(*runtime_);
    for (int i = 0; i < 3; ++i) Submit(graph, counts, inout(a()));
    ASSERT_TRUE(graph.RunAsync().ok());
    gate_.Set();
  }
  EXPECT_EQ(ended, 3);
}

TEST_F(Completions, AResultMayBeMovedOnly) {
  const TypedKernel makes("makes", [](View<const long>) { return std::make_unique<int>(7); });
  Future<std::unique_ptr<int>> made = Submit(*runtime_, makes, in(a()));
  const absl::StatusOr<std::unique_ptr<int>> result = made.Get();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 7);
}

class CompletionsDeathTest : public Completions {
 protected:
  CompletionsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CompletionsDeathTest, ATaskDoesNotComeAfterAnotherRuntimes) {
  const auto other = *Runtime::Create({});
  Block<long> block(*other, "other", 1, 1);
  const Completion of_other[] = {Submit(*other, increments_, inout(block))};
  EXPECT_DEATH(Submit(*runtime_, {.after = of_other}, increments_, inout(a())),
               "a task comes after tasks of its own runtime");
}

TEST_F(CompletionsDeathTest, AGraphIsEndedByNoTaskBeforeItsRun) {
  EXPECT_DEATH(
      {
        const auto runtime = *Runtime::Create({});
        Block<long> block(*runtime, "block", 1, 1);
        const TypedKernel runs("runs", [&](View<long>) {
          Graph graph(*runtime);
          Submit(graph, increments_, inout(block));
          (void)graph.RunAsync();
        });
        Submit(*runtime, runs, inout(block));
        (void)runtime->Wait();
      },
      "a graph is ended by no task that comes before its run");
}

// A thread outside of the pool, a lightweight thread, and a task, which waits for no room.

TEST(Outstanding, ASubmitWaitsWhereThereAreTooMany) {
  RuntimeOptions options;
  options.most_outstanding = 100;
  const auto runtime = *Runtime::Create(std::move(options));
  Block<long> value(*runtime, "value", 1, 1), other(*runtime, "other", 1, 1);
  std::atomic<long> ended{0};
  const TypedKernel counts("counts", [&](View<long> view) {
    view[0] += 1;
    ++ended;
  });
  const auto submit = [&](Block<long>& block) {
    for (long i = 0; i < 1000; ++i) Submit(*runtime, counts, inout(block));
  };
  submit(value);
  EXPECT_GE(ended, 900);
  runtime->Run([&](Runtime&) { submit(value); });
  EXPECT_GE(ended, 1900);
  ASSERT_TRUE(runtime->Wait().ok());
  const TypedKernel nests("nests", [&](View<long>) { submit(other); });
  Submit(*runtime, nests, inout(value));
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(ended, 3000);
}

TEST(CompletionsOnDevices, ATaskRunsWhereItIsAskedTo) {
  RuntimeOptions options;
  for (int i = 0; i < 2; ++i) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  }
  options.pool.workers = 2;
  const auto runtime = *Runtime::Create(std::move(options));
  const auto adds = [](std::span<const Tile> tiles, auto) {
    View<int>(tiles[0])[0] += 1;
    return absl::OkStatus();
  };
  const Kernel kernel = Kernel("adds").OnHost(adds).OnSimulated(adds);
  Block<int> value(*runtime, "value", 1, 1);
  const std::vector<Place> places = {DevicePlace(1), kHost, DevicePlace(0), DevicePlace(1)};
  for (const Place place : places) {
    runtime->Submit(kernel, {{value.handle, Mode::kInOut}}, {}, {.place = place});
  }
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(runtime->places(), places);
  EXPECT_EQ((*value.Read())[0], 4);
  const Kernel for_host = Kernel("for the host").OnHost(adds);
  EXPECT_DEATH(runtime->Submit(for_host, {{value.handle, Mode::kInOut}}, {}, {.place = 1}),
               "TaskOptions::place can run the task, not place 1: task for the host");
}

}  // namespace
}  // namespace taskrt
