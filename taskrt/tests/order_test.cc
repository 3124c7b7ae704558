#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "taskrt/task/block_order.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Tasks 0, 1, ... with these modes on one block: who each comes after.
std::vector<std::vector<int>> After(const std::vector<Mode>& modes) {
  BlockOrder<int> order;
  std::vector<std::vector<int>> after(modes.size());
  for (int task = 0; task < static_cast<int>(modes.size()); ++task) {
    const auto at = static_cast<std::size_t>(task);
    order.Add(task, modes[at], [&](int other) { after[at].push_back(other); });
  }
  return after;
}

TEST(Order, ReadersComeAfterTheWriterAndTheNextWriterAfterAllOfThem) {
  EXPECT_THAT(After({Mode::kIn, Mode::kInOut, Mode::kIn, Mode::kIn, Mode::kOut, Mode::kIn}),
              ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1), ElementsAre(1),
                          ElementsAre(2, 3), ElementsAre(4)));
}

TEST(Order, CommutativeTasksComeInAnyOrderBetweenTheOthers) {
  EXPECT_THAT(After({Mode::kOut, Mode::kCommutative, Mode::kCommutative, Mode::kIn}),
              ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(0), ElementsAre(1, 2)));
}

TEST(Order, ReductionsAndCommutativeTasksAreNotOfOneGroup) {
  EXPECT_THAT(After({Mode::kReduction, Mode::kReduction, Mode::kCommutative, Mode::kReduction}),
              ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(0, 1), ElementsAre(2)));
}

TEST(Order, ReadersThatHaveEndedAreForgottenInTimeAndTheOthersAreNot) {
  BlockOrder<int> order;
  constexpr int kReaders = 100'000;
  int asked = 0;
  for (int task = 0; task < kReaders; ++task) {
    order.Add(
        task, Mode::kIn, [](int) {},
        [&](int other) {
          ++asked;
          return other % 10'000 != 0 && other < task;
        });
  }
  std::vector<int> after;
  order.Add(kReaders, Mode::kOut, [&](int other) { after.push_back(other); });
  EXPECT_LT(after.size(), 200u);
  EXPECT_LT(asked, 4 * kReaders);
  for (int task = 0; task < kReaders; task += 10'000) {
    EXPECT_THAT(after, testing::Contains(task));
  }
}

TEST(Order, Program2Has16368Edges) {
  std::vector<BlockOrder<int>> orders(cholesky::BlocksOf(32));
  int edges = 0, number = 0;
  cholesky::ForEachTask(32, [&](const cholesky::Task& task) {
    std::set<int> after;
    for (const PlannedAccess& access : AccessesOf(task, 32)) {
      orders[access.block].Add(number, access.mode, [&](int other) { after.insert(other); });
    }
    ++number;
    edges += static_cast<int>(after.size());
  });
  EXPECT_EQ(edges, 16'368);
}

// Any two that may not be exchanged are ordered, through others or not; and only those.
TEST(Order, OrdersExactlyWhatConflicts) {
  std::mt19937 random(20201122);
  for (int round = 0; round < 200; ++round) {
    std::vector<Mode> modes(12);
    for (Mode& mode : modes) mode = static_cast<Mode>(random() % 5);
    const auto after = After(modes);
    std::vector<std::set<int>> before(modes.size());  // all, by way of others too
    for (std::size_t task = 0; task < modes.size(); ++task) {
      for (const int other : after[task]) {
        before[task].insert(other);
        before[task].merge(std::set<int>(before[static_cast<std::size_t>(other)]));
      }
      bool is_one_group = true;
      for (std::size_t other = task; other-- > 0;) {
        const bool may_join = modes[task] != Mode::kOut && modes[task] != Mode::kInOut;
        is_one_group = is_one_group && may_join && modes[other] == modes[task];
        EXPECT_EQ(before[task].contains(static_cast<int>(other)), !is_one_group)
            << "round " << round << ": " << other << " before " << task;
      }
    }
  }
}

}  // namespace
}  // namespace taskrt
