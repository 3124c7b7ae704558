// child_counts.h's own code under every interleaving, without a bound on preemptions.
#include <gtest/gtest.h>

#include <memory>

#include "taskrt/ompc/tasks/child_counts.h"
#include "tools/model/interleavings.h"

namespace taskrt {
namespace {

using Counts = BasicChildCounts<model::Atomic>;

struct Task {
  Counts counts;
  bool was_woken = false, is_destroyed = false;
  int results = 0;  // written by children before they end

  // By a child that has ended.
  void Release(Counts::Released released) {
    model::Require(!is_destroyed, "a task stays while a child counts in it");
    const Counts::Found found = counts.Release(released);
    if (found.wakes) {
      model::Require(!was_woken, "a wait is ended once");
      was_woken = true;
    }
    if (found.is_empty) is_destroyed = true;
  }
};

TEST(ChildCountsModel, AWaitForChildrenEndsOnceAfterAllOfThem) {
  const model::Outcome outcome = model::ExploreAll([] {
    auto task = std::make_shared<Task>();
    auto waits = std::make_shared<bool>(false);
    task->counts.AddChild();
    task->counts.AddChild();
    const auto child = [=] {
      ++task->results;
      task->Release(Counts::kBoth);
    };
    return model::Program{{child, child,
                           [=] {
                             *waits = task->counts.Wait(Counts::kChildren);
                             if (!*waits) model::Require(task->results == 2, "all have ended");
                           }},
                          [=] {
                            model::Require(task->was_woken == *waits, "a task that waits is woken");
                            model::Require(task->counts.IsAlone(), "none is left");
                          }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

// A child whose own child outlives it: taskwait does not wait for that one, a barrier does.
TEST(ChildCountsModel, ASubtreeIsLeftByTheLastOfItsTasks) {
  const model::Outcome outcome = model::ExploreAll([] {
    auto task = std::make_shared<Task>(), child = std::make_shared<Task>();
    auto waits = std::make_shared<bool>(false);
    task->counts.AddChild();
    child->counts.AddChild();
    return model::Program{{[=] {  // the grandchild
                             ++task->results;
                             child->Release(Counts::kBoth);
                             if (child->is_destroyed) task->Release(Counts::kDescendants);
                           },
                           [=] {  // the child's body ends
                             if (child->counts.IsAlone()) {
                               child->is_destroyed = true;
                               task->Release(Counts::kBoth);
                               return;
                             }
                             task->Release(Counts::kBody);
                             if (!child->counts.EndBody()) return;
                             child->is_destroyed = true;
                             task->Release(Counts::kDescendants);
                           },
                           [=] {
                             *waits = task->counts.Wait(Counts::kSubtree);
                             if (!*waits)
                               model::Require(task->results == 1, "the grandchild has ended");
                           }},
                          [=] {
                            model::Require(child->is_destroyed, "the child's memory is given back");
                            model::Require(task->was_woken == *waits, "a task that waits is woken");
                            model::Require(task->counts.IsAlone(), "none is left");
                          }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(ChildCountsModel, AnInterruptedWaitIsWokenOnce) {
  const model::Outcome outcome = model::ExploreAll([] {
    auto task = std::make_shared<Task>();
    auto waits = std::make_shared<bool>(false);
    auto wakers = std::make_shared<int>(0);
    task->counts.AddChild();
    return model::Program{{[=] { task->Release(Counts::kBoth); },
                           [=] { *wakers += task->counts.Interrupt(Counts::kSubtree) ? 1 : 0; },
                           [=] { *waits = task->counts.Wait(Counts::kSubtree); }},
                          [=] {
                            const int woken = *wakers + (task->was_woken ? 1 : 0);
                            model::Require(woken == (*waits ? 1 : 0),
                                           "by the child, or by who interrupts");
                          }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

}  // namespace
}  // namespace taskrt
