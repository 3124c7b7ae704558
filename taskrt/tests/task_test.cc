#include "taskrt/task/task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "lwt/event.h"
#include "lwt/pool.h"
#include "lwt/thread.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/runtime.h"

namespace taskrt {
namespace {

const Kernel kKernel("kernel");

Task& Begun(TaskStore& store, SubmitIndex index) {
  Task& task = store.New();
  task.Begin(kKernel, {}, index);
  return task;
}
void EndAlone(Task& task) {
  task.End([](const Task&) { FAIL() << "nobody waits for it"; });
}

TEST(Task, ItsMemoryIsUsedAgainOnceItHasEndedAndNothingRefersToIt) {
  TaskStore store;
  Task& first = Begun(store, 1);
  {
    const TaskRef name(first);
    EXPECT_TRUE(first.Submitted());
    EndAlone(first);
    EXPECT_NE(&store.New(), &first) << "it is named";
  }
  EXPECT_EQ(&store.New(), &first);
  Task& second = Begun(store, 2);
  { const TaskRef name(second); }
  EXPECT_NE(&store.New(), &second) << "it has not ended";
  EndAlone(second);
  EXPECT_EQ(&store.New(), &second);
  EXPECT_EQ(store.size(), 4u);
}

TEST(Task, CanBeginOnceAndWhenAllHaveEndedThatItComesAfter) {
  constexpr int kOthers = 20;
  for (int end_before = 0; end_before <= kOthers; ++end_before) {
    TaskStore store;
    std::vector<TaskRef> others;
    Task& task = Begun(store, 1'000);
    int ready = 0;
    const auto end = [&](int other) { others[other]->End([&](Task&) { ++ready; }); };
    for (int i = 0; i < kOthers; ++i) {
      others.emplace_back(Begun(store, static_cast<SubmitIndex>(i + 1)));
      task.ComeAfter(*others.back());
      task.ComeAfter(*others.back());
      if (i < end_before) end(i);
    }
    EXPECT_EQ(ready, 0) << "it is not yet submitted";
    ready += task.Submitted();
    for (int i = end_before; i < kOthers; ++i) {
      EXPECT_EQ(ready, 0) << i;
      end(i);
    }
    EXPECT_EQ(ready, 1) << end_before;
  }
}

TEST(Task, BeginsOnceThoughOthersEndWhileItIsSubmitted) {
  constexpr int kRounds = 2'000, kOthers = 4;
  TaskStore store;
  std::atomic<int> ready{0};
  for (int round = 0; round < kRounds; ++round) {
    std::vector<TaskRef> others;
    for (int i = 0; i < kOthers; ++i) {
      others.emplace_back(Begun(store, static_cast<SubmitIndex>(round * 10 + i + 1)));
    }
    std::vector<Task*> ended;
    for (const TaskRef& other : others) ended.push_back(&*other);
    std::thread ends([&] {
      for (Task* const other : ended) other->End([&](Task&) { ++ready; });
    });
    Task& task = Begun(store, static_cast<SubmitIndex>(round * 10 + 9));
    const TaskRef name(task);
    for (const TaskRef& other : others) task.ComeAfter(*other);
    others.clear();
    if (task.Submitted()) ++ready;
    ends.join();
    ASSERT_EQ(ready, round + 1);
    EndAlone(task);
  }
  EXPECT_LE(store.size(), 2u * (kOthers + 1));
}

TEST(Task, AChainOfThemIsOneThread) {
  const auto runtime = *Runtime::Create({.pool = {.workers = 2}});
  lwt::Event go;
  std::vector<int> depths;
  const Kernel kernel = Kernel("link").OnHost([&](auto, auto) {
    go.Wait();
    depths.push_back(lwt::Depth());
    return absl::OkStatus();
  });
  const Handle chain = runtime->Register("chain", {});
  runtime->Run([&](Runtime& rt) {
    for (int i = 0; i < 1'000; ++i) rt.Submit(kernel, {{chain, Mode::kInOut}});
    go.Set();
    EXPECT_TRUE(rt.Wait().ok());
  });
  EXPECT_EQ(depths, std::vector<int>(1'000, depths[0]));
}

TEST(TaskCounts, AThreadThatWaitsForAllTasksGoesOnWhenNoneIsLeftAndNotBefore) {
  const auto pool = *lwt::Pool::Create({.workers = 2});
  TaskCounts counts;
  counts.WaitForAll();
  for (int round = 0; round < 1'000; ++round) {
    std::atomic<int> ended{0};
    counts.Begin();
    counts.Begin();
    std::thread ends([&] {
      for (int i = 0; i < 2; ++i) {
        ++ended;
        counts.End();
      }
    });
    pool->Run([&] { counts.WaitForAll(); });
    ASSERT_EQ(ended, 2);
    EXPECT_EQ(counts.outstanding(), 0u);
    ends.join();
  }
}

}  // namespace
}  // namespace taskrt
