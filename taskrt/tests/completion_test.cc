// The ends of tasks: waiting for one, what comes after it, results, and cancellation.
#include "taskrt/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/typed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

// Three blocks of one number, and a task that waits for `gate_`.
class Completions : public testing::Test {
 protected:
  Completions() : runtime_(*Runtime::Create({})) {
    for (std::size_t i = 0; i < 3; ++i) {
      blocks_.emplace_back(*runtime_, std::string(1, static_cast<char>('a' + i)), 1, 1);
    }
  }
  ~Completions() override { gate_.Set(); }
  Block<long>& a() { return blocks_[0]; }
  Block<long>& b() { return blocks_[1]; }
  Block<long>& c() { return blocks_[2]; }
  long ValueOf(Block<long>& block) { return (*block.Read())[0]; }

  lwt::Event gate_;
  const TypedKernel<std::tuple<View<long>>> waits_{"waits", [this](View<long> value) {
                                                     gate_.Wait();
                                                     value[0] += 1;
                                                   }};
  const TypedKernel<std::tuple<View<long>>> increments_{"increments",
                                                        [](View<long> value) { value[0] += 1; }};
  const TypedKernel<std::tuple<View<long>, long>> sets_{
      "sets", [](View<long> value, long to) { value[0] = to; }};
  const TypedKernel<std::tuple<View<const long>, View<long>>> copies_{
      "copies", [](View<const long> from, View<long> to) { to[0] = from[0]; }};
  const std::unique_ptr<Runtime> runtime_;
  std::vector<Block<long>> blocks_;
};

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

TEST_F(Completions, AResultMayBeMovedOnly) {
  const TypedKernel makes("makes", [](View<const long>) { return std::make_unique<int>(7); });
  Future<std::unique_ptr<int>> made = Submit(*runtime_, makes, in(a()));
  const absl::StatusOr<std::unique_ptr<int>> result = made.Get();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 7);
}

using CompletionsDeathTest = Completions;

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
