#include "taskrt/task/exclusions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace taskrt {
namespace {

// Tasks ask and end in some order; each has its blocks to itself.
class World {
 public:
  explicit World(const std::vector<std::vector<BlockId>>& tasks)
      : tasks_(tasks), states_(tasks.size(), State::kNew) {}

  // Runs all orders of asking and ending from here on; returns how many there were.
  static std::uint64_t RunAll(const World& world) {
    std::uint64_t orders = 0;
    bool is_over = true;
    for (std::size_t task = 0; task < world.tasks_.size(); ++task) {
      World next = world;
      if (!next.Step(task)) continue;
      is_over = false;
      orders += RunAll(next);
    }
    if (!is_over) return orders;
    for (const State state : world.states_) EXPECT_EQ(state, State::kEnded);
    return 1;
  }

 private:
  enum class State { kNew, kWaits, kRuns, kEnded };

  bool Step(std::size_t task) {
    if (states_[task] == State::kNew) {
      states_[task] = State::kWaits;
      if (exclusions_.Take(task, tasks_[task])) Run(task);
      return true;
    }
    if (states_[task] != State::kRuns) return false;
    states_[task] = State::kEnded;
    exclusions_.Release(tasks_[task], [&](std::size_t other) { Run(other); });
    return true;
  }
  void Run(std::size_t task) {
    EXPECT_EQ(states_[task], State::kWaits);
    for (std::size_t other = 0; other < tasks_.size(); ++other) {
      if (states_[other] != State::kRuns) continue;
      const auto& theirs = tasks_[other];
      EXPECT_TRUE(std::none_of(tasks_[task].begin(), tasks_[task].end(), [&](BlockId block) {
        return std::find(theirs.begin(), theirs.end(), block) != theirs.end();
      }));
    }
    states_[task] = State::kRuns;
  }

  std::vector<std::vector<BlockId>> tasks_;
  std::vector<State> states_;
  Exclusions<std::size_t> exclusions_;
};

TEST(Exclusions, EachTaskRunsOnceAloneOnItsBlocksInAllOrders) {
  EXPECT_GT(World::RunAll(World({{0}, {0}, {0}})), 6u);
  EXPECT_GT(World::RunAll(World({{0, 1}, {1, 2}, {0, 2}})), 6u);
  EXPECT_GT(World::RunAll(World({{0, 1}, {0, 1}, {1}, {0, 2}})), 24u);
  EXPECT_GT(World::RunAll(World({{0, 1, 2}, {2, 3}, {1, 3}, {0}})), 24u);
}

TEST(Exclusions, TheFirstTaskToAskComesFirst) {
  Exclusions<int> exclusions;
  const std::vector<BlockId> block = {7};
  EXPECT_TRUE(exclusions.Take(0, block));
  EXPECT_FALSE(exclusions.Take(1, block));
  EXPECT_FALSE(exclusions.Take(2, block));
  std::vector<int> ran;
  for (int i = 0; i < 3; ++i) exclusions.Release(block, [&](int task) { ran.push_back(task); });
  EXPECT_EQ(ran, (std::vector<int>{1, 2}));
  EXPECT_TRUE(exclusions.Take(3, block));
}

}  // namespace
}  // namespace taskrt
