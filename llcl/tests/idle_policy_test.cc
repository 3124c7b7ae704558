#include "llcl/executor/idle_policy.h"

#include <gtest/gtest.h>

#include <vector>

namespace llcl {
namespace {

using Next = IdleTime::Next;

constexpr IdlePolicy kPolicy = {.spin_us = 10, .yield_us = 20};

// What follows looks that found nothing at these times.
std::vector<Next> AfterLooksAt(IdleTime& idle, const std::vector<int>& times) {
  std::vector<Next> all;
  for (const int at : times) all.push_back(idle.Add(at * 1000));
  return all;
}

TEST(IdleTime, AThreadYieldsThenSleeps) {
  IdleTime idle(kPolicy, kPolicy.yield_us);
  const std::vector<Next> expected = {Next::kYield, Next::kYield, Next::kSleep, Next::kSleep};
  EXPECT_EQ(AfterLooksAt(idle, {100, 129, 130, 999}), expected);
}

TEST(IdleTime, AThreadSpinsSoonAfterAShortTimeAndThenYields) {
  IdleTime idle(kPolicy, kPolicy.yield_us);
  AfterLooksAt(idle, {100, 105});
  idle.End();
  const std::vector<Next> expected = {Next::kSpin, Next::kSpin, Next::kYield, Next::kSleep};
  EXPECT_EQ(AfterLooksAt(idle, {134, 143, 144, 164}), expected);
}

TEST(IdleTime, AThreadYieldsAtOnceAfterALongTime) {
  IdleTime idle(kPolicy, kPolicy.yield_us);
  AfterLooksAt(idle, {100, 110});
  idle.End();
  EXPECT_EQ(AfterLooksAt(idle, {111}), std::vector<Next>{Next::kYield});
}

TEST(IdleTime, AThreadYieldsAtOnceWhereOthersHaveHadTimeToFallAsleep) {
  IdleTime idle(kPolicy, kPolicy.yield_us);
  AfterLooksAt(idle, {100, 105});
  idle.End();
  EXPECT_EQ(AfterLooksAt(idle, {135}), std::vector<Next>{Next::kYield});
}

TEST(IdleTime, AThreadThatHasSpunInVainYieldsForAWhileThoughTimesAreShort) {
  IdleTime idle(kPolicy, kPolicy.yield_us, {.from_ns = 0, .until_ns = 1'000});
  EXPECT_EQ(AfterLooksAt(idle, {0, 10}), (std::vector<Next>{Next::kSpin, Next::kYield}));
  idle.End();
  for (int at = 11; at < 210; at += 10) {
    EXPECT_EQ(AfterLooksAt(idle, {at}), std::vector<Next>{Next::kYield}) << at;
    idle.End();
  }
  EXPECT_EQ(AfterLooksAt(idle, {211}), std::vector<Next>{Next::kSpin});
}

TEST(IdleTime, AThreadThatYieldsForLongNapsNowAndThen) {
  IdleTime idle(kPolicy, 5'000);
  const std::vector<Next> expected = {Next::kYield, Next::kYield, Next::kNap,
                                      Next::kYield, Next::kNap,   Next::kYield};
  EXPECT_EQ(AfterLooksAt(idle, {0, 249, 260, 500, 510, 511}), expected);
}

TEST(IdleTime, AThreadThatHasSomethingToDoAtOnceDoesNotForget) {
  IdleTime idle(kPolicy, kPolicy.yield_us, {.from_ns = 5, .until_ns = 7});
  idle.End();
  EXPECT_EQ(idle.spinning().from_ns, 5);
  EXPECT_EQ(idle.spinning().until_ns, 7);
}

TEST(IdleTime, LooksThatTakeLongLeadToSleepAsSoon) {
  IdleTime idle(kPolicy, kPolicy.yield_us);
  EXPECT_EQ(AfterLooksAt(idle, {0, 500}), (std::vector<Next>{Next::kYield, Next::kSleep}));
}

TEST(IdleTime, APolicyWithoutTimeSleepsAtOnce) {
  IdleTime idle({.spin_us = 0, .yield_us = 0}, 0);
  EXPECT_EQ(AfterLooksAt(idle, {0, 0}), (std::vector<Next>{Next::kSleep, Next::kSleep}));
}

}  // namespace
}  // namespace llcl
