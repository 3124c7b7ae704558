#include "llcl/executor/idle_policy.h"

#include <gtest/gtest.h>

#include <vector>

namespace llcl {
namespace {

using Next = IdleTime::Next;

// What follows looks that found nothing at these times.
std::vector<Next> AfterLooksAt(IdleTime& idle, const std::vector<int>& times) {
  std::vector<Next> all;
  for (const int at : times) all.push_back(idle.Add(at * 1000));
  return all;
}

TEST(IdleTime, AThreadSpinsThenYieldsThenSleeps) {
  IdleTime idle(10, 20);
  const std::vector<Next> expected = {Next::kSpin,  Next::kSpin,  Next::kYield,
                                      Next::kYield, Next::kSleep, Next::kSleep};
  EXPECT_EQ(AfterLooksAt(idle, {100, 109, 110, 129, 130, 999}), expected);
}

TEST(IdleTime, AfterALongTimeAThreadYieldsAtOnceUntilATimeWasShort) {
  IdleTime idle(10, 20);
  EXPECT_EQ(AfterLooksAt(idle, {0, 15}), (std::vector<Next>{Next::kSpin, Next::kYield}));
  idle.End();
  EXPECT_EQ(AfterLooksAt(idle, {50, 59}), (std::vector<Next>{Next::kYield, Next::kYield}));
  idle.End();
  EXPECT_EQ(AfterLooksAt(idle, {100}), (std::vector<Next>{Next::kSpin}));
}

TEST(IdleTime, AThreadThatHasSomethingToDoAtOnceDoesNotForget) {
  IdleTime idle(10, 20, false);
  idle.End();
  EXPECT_FALSE(idle.was_short());
}

TEST(IdleTime, LooksThatTakeLongLeadToSleepAsSoon) {
  IdleTime idle(10, 20);
  EXPECT_EQ(AfterLooksAt(idle, {0, 500}), (std::vector<Next>{Next::kSpin, Next::kSleep}));
}

TEST(IdleTime, APolicyWithoutTimeSleepsAtOnce) {
  IdleTime idle(0, 0);
  EXPECT_EQ(AfterLooksAt(idle, {0, 0}), (std::vector<Next>{Next::kSleep, Next::kSleep}));
}

}  // namespace
}  // namespace llcl
