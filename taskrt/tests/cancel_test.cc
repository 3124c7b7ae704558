// Tasks that are cancelled, and the tasks that are left out with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
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

TEST_F(Completions, ATaskThatIsCancelledIsLeftOutWithThoseThatReadItsValue) {
  Submit(*runtime_, waits_, inout(a()));
  const Completion cancelled = Submit(*runtime_, increments_, inout(a()));
  const Completion reader = Submit(*runtime_, copies_, in(a()), out(b()));
  const Completion of_reader = Submit(*runtime_, increments_, inout(b()));
  const Completion writes_all = Submit(*runtime_, sets_, out(a()), 10L);
  const Completion of_new = Submit(*runtime_, copies_, in(a()), out(c()));
  cancelled.Cancel();
  gate_.Set();
  EXPECT_EQ(cancelled.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(reader.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(of_reader.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(writes_all.Wait().ok());
  EXPECT_TRUE(of_new.Wait().ok());
  const absl::Status all = runtime_->Wait();
  EXPECT_EQ(all.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(all.message(),
            "Completion::Cancel was called: 3 tasks were left out, first task increments(inout a)");
  EXPECT_EQ(ValueOf(a()), 10);
  EXPECT_EQ(ValueOf(b()), 0);
  EXPECT_EQ(ValueOf(c()), 10);
  EXPECT_TRUE(Submit(*runtime_, increments_, inout(b())).Wait().ok()) << "the value may be used";
  EXPECT_TRUE(runtime_->Wait().ok());
}

TEST_F(Completions, ATaskThatRunsOrHasEndedIsNotCancelled) {
  lwt::Event begun;
  const TypedKernel begins("begins", [&](View<long> value) {
    begun.Set();
    gate_.Wait();
    value[0] += 1;
  });
  const Completion running = Submit(*runtime_, begins, inout(a()));
  begun.Wait();
  running.Cancel();
  gate_.Set();
  EXPECT_TRUE(running.Wait().ok());
  running.Cancel();
  EXPECT_TRUE(runtime_->Wait().ok());
  EXPECT_EQ(ValueOf(a()), 1);
}

TEST_F(Completions, AllThatHaveNotBegunAreLeftOut) {
  lwt::Event begun;
  std::optional<bool> saw_stop;
  const TypedKernel obeys("obeys", [&](View<long> value) {
    begun.Set();
    gate_.Wait();
    saw_stop = runtime_->stop_token().stop_requested();
    value[0] = 1;
  });
  Submit(*runtime_, obeys, inout(a()));
  for (int i = 0; i < 10; ++i) Submit(*runtime_, increments_, inout(a()));
  begun.Wait();
  EXPECT_FALSE(runtime_->stop_token().stop_requested());
  runtime_->Cancel();
  gate_.Set();
  const absl::Status status = runtime_->Wait();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(status.message(),
            "Runtime::Cancel was called: 10 tasks were left out, first task increments(inout a)");
  EXPECT_EQ(saw_stop, true);
  EXPECT_EQ(ValueOf(a()), 1) << "the task that ran has ended as usual";
  EXPECT_FALSE(runtime_->stop_token().stop_requested()) << "another from now on";
  Submit(*runtime_, increments_, inout(a()));
  EXPECT_TRUE(runtime_->Wait().ok());
}

TEST_F(Completions, ARunOfAGraphIsCancelledWhileItGoesOn) {
  Graph graph(*runtime_);
  lwt::Event begun;
  const TypedKernel begins("begins", [&](View<long> value) {
    begun.Set();
    gate_.Wait();
    value[0] += 1;
  });
  Submit(graph, begins, inout(a()));
  Submit(graph, increments_, inout(a()));
  Submit(graph, copies_, in(a()), out(b()));
  const absl::StatusOr<Completion> run = graph.RunAsync();
  ASSERT_TRUE(run.ok());
  begun.Wait();
  run->Cancel();
  gate_.Set();
  EXPECT_EQ(run->Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(runtime_->Wait().message()),
              HasSubstr("2 tasks were left out, first task increments(inout a)"));
  EXPECT_EQ(ValueOf(a()), 1);
  EXPECT_EQ(ValueOf(b()), 0);
  EXPECT_TRUE(graph.Run().ok());
  EXPECT_EQ(ValueOf(b()), 3);
}

TEST_F(Completions, ARunOfAGraphIsCancelledBeforeItBegins) {
  Graph graph(*runtime_);
  Submit(graph, increments_, inout(a()));
  Submit(*runtime_, waits_, inout(a()));
  const absl::StatusOr<Completion> run = graph.RunAsync();
  ASSERT_TRUE(run.ok());
  const Completion reader = Submit(*runtime_, copies_, in(a()), out(b()));
  run->Cancel();
  gate_.Set();
  EXPECT_EQ(reader.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(run->Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(runtime_->Wait().message()),
              HasSubstr("2 tasks were left out, first task increments(inout a)"));
}

TEST_F(Completions, AChainOfThenEndsWhereOneIsNotCalled) {
  std::atomic<int> calls{0};
  Submit(*runtime_, waits_, inout(a()));
  const Completion cancelled = Submit(*runtime_, increments_, inout(a()));
  const Completion first = cancelled.Then("first", [&] { ++calls; });
  const Completion second = first.Then("second", [&] { ++calls; });
  cancelled.Cancel();
  gate_.Set();
  EXPECT_EQ(second.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(first.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 0);
}

TEST_F(Completions, CommutativeTasksAreNotLeftOutForEachOther) {
  const auto add = [&] {
    return runtime_->Submit(increments_.kernel(), {{a().handle, Mode::kCommutative}});
  };
  Submit(*runtime_, waits_, inout(a()));
  std::vector<Completion> adds;
  for (int i = 0; i < 10; ++i) adds.push_back(add());
  const Completion reader = Submit(*runtime_, copies_, in(a()), out(b()));
  const Completion later = add();
  adds[4].Cancel();
  gate_.Set();
  for (std::size_t i = 0; i < adds.size(); ++i) EXPECT_EQ(adds[i].Wait().ok(), i != 4);
  EXPECT_EQ(reader.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(later.Wait().code(), absl::StatusCode::kCancelled) << "of another group";
  EXPECT_EQ(runtime_->Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ValueOf(a()), 10);
}

TEST_F(Completions, OfAReductionOneAddIsLeftOut) {
  const TypedKernel zero("zero", [](View<long> value) { value[0] = 0; });
  const TypedKernel combine("combine",
                            [](View<long> all, View<const long> part) { all[0] += part[0]; });
  SetReduction(*runtime_, a(), zero, combine);
  Submit(*runtime_, waits_, inout(b()));
  std::vector<Completion> adds;
  const Kernel adds_one = Kernel("adds").OnHost([](std::span<const Tile> tiles, auto) {
    View<long>(tiles[0])[0] += 1;
    return absl::OkStatus();
  });
  for (int i = 0; i < 8; ++i) {
    adds.push_back(
        runtime_->Submit(adds_one, {{a().handle, Mode::kReduction}, {b().handle, Mode::kIn}}));
  }
  const Completion reader = Submit(*runtime_, copies_, in(a()), out(c()));
  adds[3].Cancel();
  gate_.Set();
  EXPECT_EQ(reader.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(runtime_->Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ValueOf(a()), 7);
}

TEST_F(Completions, AWaitForABlockIsCancelledOnlyWhereItsValueIsMissing) {
  Submit(*runtime_, waits_, inout(a()));
  const Completion cancelled = Submit(*runtime_, increments_, inout(a()));
  Submit(*runtime_, sets_, out(b()), 3L);
  cancelled.Cancel();
  gate_.Set();
  EXPECT_EQ(cancelled.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ((*b().Read())[0], 3);
  EXPECT_EQ(a().Read().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(a().Write().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(Submit(*runtime_, increments_, inout(a())).Wait().ok()) << "the caller made a value";
  EXPECT_EQ((*a().Read())[0], 2);
  EXPECT_FALSE(runtime_->Wait().ok());
}

TEST(CompletionsOnDevices, WhatWasLeftOutIsLeftOutOnDevicesToo) {
  RuntimeOptions options;
  options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  options.pool.workers = 2;
  const auto runtime = *Runtime::Create(std::move(options));
  lwt::Event gate;
  const TypedKernel waits("waits", [&](View<int>) { gate.Wait(); });
  const Kernel adds = Kernel("adds").OnSimulated([](std::span<const Tile> tiles, auto) {
    View<int>(tiles[0])[0] += 1;
    return absl::OkStatus();
  });
  Block<int> value(*runtime, "value", 1, 1);
  runtime->Submit(adds, {{value.handle, Mode::kInOut}});
  Submit(*runtime, waits, inout(value));
  const Completion last = runtime->Submit(adds, {{value.handle, Mode::kInOut}});
  last.Cancel();
  gate.Set();
  EXPECT_EQ(runtime->Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ((*value.Read())[0], 1);
}

}  // namespace
}  // namespace taskrt
