// Waits that tasks make: those that could never end are refused and named, others leave their place
// to the tasks that they wait for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "lwt/event.h"
#include "lwt/fork_join.h"
#include "lwt/pool.h"
#include "lwt/spawn.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/tasks_with_bodies.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

using WaitsOfTasks = TasksWithBodies;

TEST_F(WaitsOfTasks, ATaskThatWaitsForAllIsRefusedAndNamed) {
  runtime_->Submit(Does("waits", [this] { return runtime_->Wait(); }), {{a_, Mode::kIn}});
  EXPECT_EQ(
      Message(),
      "task waits(in a): task waits(in a) would wait for itself: Wait is not called by tasks");
}

TEST_F(WaitsOfTasks, ATaskThatWaitsForItsOwnBlockIsRefused) {
  runtime_->Submit(Does("waits", [this] { return runtime_->WaitOn(a_); }), {{a_, Mode::kInOut}});
  EXPECT_THAT(Message(), HasSubstr("task waits(inout a) would wait for itself on block a, which"));
}

// What a task's body calls in a thread that it has started in one of all the ways.
TEST_F(WaitsOfTasks, ThreadsThatATaskHasStartedAreRefusedAsItIs) {
  using Call = std::function<absl::Status()>;
  const auto other = *lwt::Pool::Create({.workers = 1});
  const std::function<absl::Status(const Call&)> kWays[] = {
      [](const Call& call) {
        absl::Status status;
        lwt::Spawn([&] { status = call(); }).Join();
        return status;
      },
      [](const Call& call) {
        absl::Status status;
        lwt::Spawn([&] { lwt::Spawn([&] { status = call(); }).Join(); }).Join();
        return status;
      },
      // The first call lets others run until the second is a thread.
      [](const Call& call) {
        absl::Status status;
        std::atomic<bool> has_begun{false};
        lwt::ForkJoin(
            [&] {
              while (!has_begun) lwt::Yield();
            },
            [&] {
              has_begun = true;
              status = call();
            });
        return status;
      },
      [&](const Call& call) { return other->Run(call); },
      [&](const Call& call) {
        absl::Status status;
        other->Run([&] { lwt::Spawn([&] { status = call(); }).Join(); });
        return status;
      },
  };
  Graph graph(*runtime_), in_graph(*runtime_);
  graph.Submit(kAdd, {{a_, Mode::kInOut}});
  const std::pair<Call, const char*> kCalls[] = {
      {[this] { return runtime_->Wait(); }, "would wait for itself: Wait is not called by tasks"},
      {[this] { return runtime_->WaitOn(a_); }, "would wait for itself on block a, which"},
      {[&] { return graph.Run(); }, "would wait for itself on block a, which"},
      {[this] { return runtime_->IsInTask() ? absl::InternalError("in a task") : absl::Status(); },
       "in a task"},
  };
  for (const auto& way : kWays) {
    for (const auto& [call, message] : kCalls) {
      const Kernel& waits = Does("waits", [&way, &call = call] { return way(call); });
      runtime_->Submit(waits, {{a_, Mode::kInOut}});
      EXPECT_THAT(Message(), HasSubstr(message));
    }
  }
  in_graph.Submit(Does("waits", [&] { return kWays[0](kCalls[1].first); }), {{a_, Mode::kInOut}});
  EXPECT_THAT(std::string(in_graph.Run().message()), HasSubstr("task waits(inout a) would wait"));
  EXPECT_THAT(Message(), HasSubstr("would wait for itself on block a, which"));
  EXPECT_FALSE(runtime_->IsInTask());
}

TEST_F(WaitsOfTasks, AThreadThatOutlivesItsTaskMayWait) {
  lwt::Event task_has_ended, thread_has_ended;
  absl::Status waited = absl::InternalError("it has not");
  const Access access = {a_, Mode::kInOut};
  runtime_->Submit(Does("detaches",
                        [&] {
                          lwt::Spawn([&] {
                            task_has_ended.Wait();
                            waited = runtime_->WaitOn(a_);
                            waited.Update(runtime_->Wait());
                            thread_has_ended.Set();
                          }).Detach();
                          return absl::OkStatus();
                        }),
                   {&access, 1}, {}, {.ended = &task_has_ended});
  thread_has_ended.Wait();
  EXPECT_TRUE(waited.ok()) << waited;
}

TEST_F(WaitsOfTasks, ATaskThatWaitsForATaskBehindItIsRefused) {
  lwt::Event is_behind;
  runtime_->Submit(Does("waits",
                        [&] {
                          is_behind.Wait();
                          return runtime_->WaitOn(b_);
                        }),
                   {{a_, Mode::kInOut}});
  runtime_->Submit(kAdd, {{a_, Mode::kIn}, {b_, Mode::kInOut}});
  is_behind.Set();
  EXPECT_THAT(
      Message(),
      HasSubstr("task waits(inout a) would wait for itself on block b: task add(in a, inout "
                "b) comes after it"));
}

TEST_F(WaitsOfTasks, ATaskMayWaitForBlocksOfTasksBeforeIt) {
  for (int i = 0; i < 20; ++i) runtime_->Submit(kAdd, {{b_, Mode::kInOut}});
  int seen = 0;
  runtime_->Submit(Does("waits",
                        [&] {
                          const absl::Status status = runtime_->WaitOn(b_);
                          seen = memory_[1][0];
                          return status;
                        }),
                   {{a_, Mode::kInOut}});
  EXPECT_EQ(Message(), "");
  EXPECT_EQ(seen, 21);
}

// The first waits for the second, which would wait for a third that comes after the first.
TEST_F(WaitsOfTasks, TasksThatWaitForEachOtherAroundAreRefused) {
  const Handle c = Register("c");
  lwt::Event first_waits, third_is_there;
  const Kernel& second = Does("second", [&] {
    third_is_there.Wait();
    return runtime_->WaitOn(c);
  });
  const Kernel& first = Does("first", [&] {
    first_waits.Set();
    return runtime_->WaitOn(b_);
  });
  runtime_->Submit(second, {{b_, Mode::kInOut}});
  runtime_->Submit(first, {{a_, Mode::kInOut}});
  first_waits.Wait();
  runtime_->Submit(kAdd, {{a_, Mode::kIn}, {c, Mode::kInOut}});
  third_is_there.Set();
  // Where the first does not wait yet, nothing is wrong yet, and then the first is the one to
  // refuse.
  EXPECT_THAT(Message(), HasSubstr("would wait for itself on block"));
}

TEST_F(WaitsOfTasks, CommutativeTasksWaitForNoBlock) {
  runtime_->Submit(Does("adds", [this] { return runtime_->WaitOn(b_); }),
                   {{a_, Mode::kCommutative}});
  EXPECT_THAT(Message(), HasSubstr("task adds(commutative a) would wait for itself on block b: "
                                   "commutative tasks"));
}

TEST_F(WaitsOfTasks, ATaskOfAGraphThatRunsItIsRefused) {
  Graph graph(*runtime_);
  graph.Submit(Does("runs", [&] { return graph.Run(); }), {{a_, Mode::kInOut}});
  EXPECT_THAT(std::string(graph.Run().message()), HasSubstr("the graph runs already"));
  EXPECT_THAT(Message(), HasSubstr("the graph runs already"));
}

TEST_F(WaitsOfTasks, ATaskOfAGraphThatWaitsForItsBlockIsRefused) {
  Graph graph(*runtime_);
  graph.Submit(Does("waits", [&] { return runtime_->WaitOn(a_); }), {{b_, Mode::kInOut}});
  graph.Submit(kAdd, {{a_, Mode::kInOut}});
  EXPECT_THAT(std::string(graph.Run().message()), HasSubstr("would wait for itself on block a"));
  EXPECT_THAT(Message(), HasSubstr("would wait for itself on block a"));
}

TEST_F(WaitsOfTasks, ATaskThatRunsAGraphOfItsBlockIsRefusedAndOfOthersRunsIt) {
  Graph mine(*runtime_), others(*runtime_);
  mine.Submit(kAdd, {{a_, Mode::kInOut}});
  others.Submit(kAdd, {{b_, Mode::kInOut}});
  runtime_->Submit(Does("runs", [&] { return mine.Run(); }), {{a_, Mode::kInOut}});
  EXPECT_THAT(Message(), HasSubstr("would wait for itself on block a, which it"));
  runtime_->Submit(Does("runs", [&] { return others.Run(); }), {{a_, Mode::kInOut}});
  EXPECT_EQ(Message(), "");
  EXPECT_EQ(memory_[1][0], 2);
}

// A scheduler that chooses late gives the host one task a worker: one that waits is not counted.
TEST_F(WaitsOfTasks, TasksThatWaitLeaveTheirPlaceToThoseThatTheyWaitFor) {
  RuntimeOptions options;
  options.pool.workers = 1;
  options.scheduler = std::make_unique<Stealing>();
  runtime_ = *Runtime::Create(std::move(options));
  memory_.clear();
  const Handle a = Register("a"), b = Register("b");
  Graph graph(*runtime_);
  graph.Submit(kAddOnHost, {{b, Mode::kInOut}});
  runtime_->Submit(Does("waits",
                        [&] {
                          runtime_->Submit(kAddOnHost, {{b, Mode::kInOut}});
                          absl::Status status = runtime_->WaitOn(b);
                          status.Update(graph.Run());
                          return status;
                        }),
                   {{a, Mode::kInOut}});
  EXPECT_EQ(Message(), "");
  EXPECT_EQ(memory_[1][0], 3);
}

// As its body, a thread of its own.
TEST_F(WaitsOfTasks, ThreadsOfTasksThatWaitLeaveTheTasksPlaceToOthers) {
  RuntimeOptions options;
  options.pool.workers = 1;
  options.scheduler = std::make_unique<Stealing>();
  runtime_ = *Runtime::Create(std::move(options));
  memory_.clear();
  const Handle a = Register("a"), b = Register("b"), c = Register("c");
  runtime_->Submit(Does("waits",
                        [&] {
                          runtime_->Submit(kAddOnHost, {{b, Mode::kInOut}});
                          runtime_->Submit(kAddOnHost, {{c, Mode::kInOut}});
                          absl::Status on_b, on_c;
                          lwt::Thread waits = lwt::Spawn([&] { on_b = runtime_->WaitOn(b); });
                          lwt::Spawn([&] { on_c = runtime_->WaitOn(c); }).Join();
                          waits.Join();
                          on_b.Update(on_c);
                          return on_b;
                        }),
                   {{a, Mode::kInOut}});
  EXPECT_EQ(Message(), "");
  EXPECT_EQ(memory_[1][0], 2);
  EXPECT_EQ(memory_[2][0], 2);
}

// It was counted where its device was lost, and goes on on the host.
TEST_F(WaitsOfTasks, ATaskThatIsElsewhereAndWaitsLeavesThePlaceWhereItIsCounted) {
  RuntimeOptions options;
  options.pool.workers = 2;
  options.tasks_in_flight = 1;
  options.devices.push_back(
      std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{.kernels_until_lost = 0}));
  runtime_ = *Runtime::Create(std::move(options));
  memory_.clear();
  const Handle a = Register("a"), b = Register("b");
  const Kernel waits = Kernel("waits").OnSimulated(AddOne).OnHost([&](auto, auto) {
    runtime_->Submit(kAdd, {{b, Mode::kInOut}});
    return runtime_->WaitOn(b);
  });
  for (int i = 0; i < 3; ++i) {
    runtime_->Submit(waits, {{a, Mode::kInOut}});
    EXPECT_EQ(Message(), "");
  }
  EXPECT_EQ(memory_[1][0], 4);
}

TEST_F(WaitsOfTasks, ATaskThatSubmitsATaskToWaitForItIsRefusedAnImpossibleWait) {
  Awaited own, others, outside;
  absl::Status on_own, on_others;
  int seen = 0;
  const auto waits = [&] {
    const Access of_a = {a_, Mode::kIn}, of_b = {b_, Mode::kInOut};
    on_own = runtime_->SubmitAwaited(kAddOnHost, {&of_a, 1}, {}, own);
    on_others = runtime_->SubmitAwaited(kAddOnHost, {&of_b, 1}, {}, others);
    if (on_others.ok()) runtime_->WaitFor(others);
    seen = memory_[1][0];
    return absl::OkStatus();
  };
  runtime_->Submit(Does("waits", waits), {{a_, Mode::kInOut}});
  EXPECT_EQ(Message(), "");
  EXPECT_THAT(std::string(on_own.message()), HasSubstr("would wait for itself on block a, which"));
  EXPECT_TRUE(on_others.ok()) << on_others;
  EXPECT_EQ(seen, 2);
  const Access of_a = {a_, Mode::kInOut};
  ASSERT_TRUE(runtime_->SubmitAwaited(kAddOnHost, {&of_a, 1}, {}, outside).ok());
  runtime_->WaitFor(outside);
  EXPECT_EQ(memory_[0][0], 2);
}

}  // namespace
}  // namespace taskrt
