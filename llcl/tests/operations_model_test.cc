// llcl/executor/operations.h's own code under interleavings.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "llcl/executor/operations.h"
#include "tools/model/interleavings.h"

namespace llcl {
namespace {

using Operations = BasicOperations<model::Atomic>;

// A requester, and the executor, which looks for overdue operations and ends those that were
// handed on.
struct Game {
  static constexpr int kMost = 4;
  explicit Game(Tag tags) : operations(tags) {}

  // One request; it is handed on, or withdrawn.
  void Ask(int number, bool is_handed_on) {
    const auto count = [](void* completed, Outcome) { ++*static_cast<int*>(completed); };
    const Tag tag = operations.Begin({.then = {count, &completed[number]},
                                      .released = {count, &released[number]},
                                      .peer = Rank{number},
                                      .most_ms = 1});
    if (tag == kNullTag) {
      refused[number] = 1;
      return;
    }
    model::Step();
    if (is_handed_on) {
      posted.Store(posted.Load(std::memory_order_relaxed) | 1 << tag, std::memory_order_release);
      return;
    }
    // `then` has been called, or never will be.
    if (operations.Withdraw(tag)) refused[number] = 1;
  }
  void GiveUpAll() {
    (void)operations.GiveUp(
        0, [](Operation&) { return std::optional(Outcome::kLate); },
        [](Completion then, Outcome outcome) {
          then.Complete(outcome);
          return true;
        });
  }
  void EndPosted() {
    const int all = posted.Exchange(0, std::memory_order_acquire);
    for (Tag tag = 0; tag < 32; ++tag) {
      if ((all & 1 << tag) == 0) continue;
      const Operations::Ending ending = operations.End(tag);
      if (!ending.was_given_up) ending.then.Complete(Outcome::kDone);
      ending.released.Complete(Outcome::kDone);
    }
  }

  Operations operations;
  model::Atomic<int> posted{0};  // tags that the device has
  int completed[kMost] = {};
  int released[kMost] = {};
  int refused[kMost] = {};
};

void ExpectHolds(const std::function<model::Program()>& make, const model::Limits& limits = {}) {
  const model::Outcome outcome = model::ExploreAll(make, limits);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(OperationsModel, ARequestCompletesOnceOrIsRefusedNeverBoth) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>(2);
        return model::Program{
            {[=] {
               game->Ask(0, false);
               game->Ask(1, true);
             },
             [=] { game->Ask(2, false); },
             [=] {
               game->GiveUpAll();
               game->EndPosted();
             }},
            [=] {
              game->EndPosted();
              for (int i = 0; i < 3; ++i) {
                model::Require(game->completed[i] + game->refused[i] == 1,
                               "completed once, or refused");
                model::Require(game->released[i] == (i == 1 && game->refused[1] == 0 ? 1 : 0),
                               "released once if it was handed on");
              }
              for (int i = 0; i < 2; ++i) {
                model::Require(game->operations.Begin({}) != kNullTag, "all tags are free again");
              }
            }};
      },
      {.preemptions = 3});
}

TEST(OperationsModel, AnOperationThatWasGivenUpKeepsItsTagUntilTheDeviceHasEndedIt) {
  Operations operations(1);
  int completed = 0;
  const Completion then([](void* count, Outcome) { ++*static_cast<int*>(count); }, &completed);
  const Tag tag = operations.Begin({.then = then});
  const auto judge = [](Operation&) { return std::optional(Outcome::kLate); };
  const auto report = [](Completion completion, Outcome outcome) {
    completion.Complete(outcome);
    return true;
  };
  EXPECT_EQ(operations.GiveUp(0, judge, report), 0u);
  EXPECT_EQ(completed, 1);
  EXPECT_TRUE(operations.IsGivenUp(tag));
  EXPECT_EQ(operations.Begin({}), kNullTag);
  EXPECT_EQ(operations.GiveUp(0, judge, report), 0u);
  EXPECT_EQ(completed, 1) << "once";
  EXPECT_TRUE(operations.End(tag).was_given_up);
  EXPECT_EQ(operations.Begin({}), tag);
}

TEST(OperationsModel, ALookStopsWhereThereIsNoRoomAndGoesOnThere) {
  Operations operations(4);
  for (int i = 0; i < 4; ++i) (void)operations.Begin({});
  int completed = 0;
  const auto judge = [](Operation&) { return std::optional(Outcome::kLate); };
  const auto two = [&](Completion, Outcome) { return ++completed % 2 != 0; };
  const Tag next = operations.GiveUp(0, judge, two);
  EXPECT_EQ(completed, 2);
  EXPECT_NE(next, 0u);
  EXPECT_EQ(operations.GiveUp(next, judge, two), 0u);
  EXPECT_EQ(completed, 4);
}

}  // namespace
}  // namespace llcl
