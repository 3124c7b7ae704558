#include "apps/stream/team/team.h"

#include <sched.h>

#include <atomic>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stream {
namespace {

class TeamTest : public testing::TestWithParam<Runtime> {
 protected:
  topo::Mapping Plan(topo::Policy policy, int threads) {
    return *topo::Plan(machine_, policy, threads,
                       {.oversubscribe = topo::PlanOptions::Oversubscribe::kAllow});
  }
  const topo::Topology machine_ = *topo::ThisMachine();
};

TEST_P(TeamTest, EverySlotRunsOnceEachRound) {
  for (const int threads : {1, 2, 5}) {
    const topo::Mapping mapping = Plan(topo::Policy::kScatter, threads);
    auto team = StartTeam(GetParam(), machine_, mapping);
    ASSERT_TRUE(team.ok()) << team.status();
    std::vector<std::atomic<int>> runs(threads);
    for (int round = 1; round <= 20; ++round) {
      (*team)->Run([&](const topo::Slot& slot) { runs[slot.thread].fetch_add(1); });
      for (const auto& count : runs) ASSERT_EQ(count.load(), round);
    }
  }
}

TEST_P(TeamTest, ARoundReadsWhatTheRoundBeforeWrote) {
  const topo::Mapping mapping = Plan(topo::Policy::kScatter, 2);
  auto team = StartTeam(GetParam(), machine_, mapping);
  ASSERT_TRUE(team.ok()) << team.status();
  std::vector<int> values(2);
  for (int round = 0; round < 100; ++round) {
    (*team)->Run([&](const topo::Slot& slot) { values[slot.thread] = round; });
    (*team)->Run([&](const topo::Slot& slot) { ASSERT_EQ(values[1 - slot.thread], round); });
  }
}

TEST_P(TeamTest, ThreadsRunOnThePusOfTheirSlots) {
  const topo::Mapping mapping = Plan(topo::Policy::kCompact, machine_.allowed_pus());
  auto team = StartTeam(GetParam(), machine_, mapping);
  ASSERT_TRUE(team.ok()) << team.status();
  // TBB may hand a slot to another thread, but each thread is on its own PU.
  const bool slots_are_threads = GetParam() != Runtime::kTbb;
  (*team)->Run([&](const topo::Slot& slot) {
    const topo::Slot* pinned = topo::CurrentSlot();
    ASSERT_NE(pinned, nullptr);
    EXPECT_EQ(sched_getcpu(), topo::ToInt(pinned->pu));
    if (slots_are_threads) {
      EXPECT_EQ(pinned->thread, slot.thread);
    }
  });
}

TEST_P(TeamTest, TheStarterGetsItsMaskBack) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  {
    auto team = StartTeam(GetParam(), machine_, Plan(topo::Policy::kScatter, 1));
    ASSERT_TRUE(team.ok()) << team.status();
    (*team)->Run([](const topo::Slot&) {});
  }
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_EQ(topo::CurrentSlot(), nullptr);
}

TEST_P(TeamTest, AMachineThatIsElsewhereCannotBeStartedOn) {
  const topo::Topology elsewhere = *topo::FromSynthetic("pack:2 [numa] core:2 pu:1");
  const topo::Mapping mapping = *topo::Plan(elsewhere, topo::Policy::kScatter, 2);
  const auto refused = StartTeam(GetParam(), elsewhere, mapping);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
}

TEST_P(TeamTest, TeamsFollowOneAnotherWithOtherSizes) {
  for (const int threads : {2, 1, 3, 2}) {
    auto team = StartTeam(GetParam(), machine_, Plan(topo::Policy::kNone, threads));
    ASSERT_TRUE(team.ok()) << team.status();
    std::atomic<int> runs = 0;
    (*team)->Run([&](const topo::Slot&) { runs.fetch_add(1); });
    EXPECT_EQ(runs.load(), threads);
  }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, TeamTest,
                         testing::Values(Runtime::kOpenMp, Runtime::kTbb, Runtime::kStd),
                         [](const auto& info) { return std::string(ToString(info.param)); });

}  // namespace
}  // namespace stream
