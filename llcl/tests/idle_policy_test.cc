#include "llcl/executor/idle_policy.h"

#include <gtest/gtest.h>

#include <vector>

namespace llcl {
namespace {

using Next = IdleRounds::Next;

std::vector<Next> Rounds(IdleRounds& rounds, int count) {
  std::vector<Next> all;
  for (int i = 0; i < count; ++i) all.push_back(rounds.Add());
  return all;
}

TEST(IdleRounds, AThreadSpinsThenYieldsThenSleepsUntilItFindsSomething) {
  IdleRounds rounds(2, 1);
  const std::vector<Next> expected = {Next::kSpin, Next::kSpin, Next::kYield, Next::kSleep,
                                      Next::kSleep};
  EXPECT_EQ(Rounds(rounds, 5), expected);
  rounds.Reset();
  EXPECT_EQ(Rounds(rounds, 5), expected);
}

TEST(IdleRounds, APolicyWithoutRoundsSleepsAtOnce) {
  IdleRounds rounds(0, 0);
  EXPECT_EQ(Rounds(rounds, 2), (std::vector<Next>{Next::kSleep, Next::kSleep}));
}

}  // namespace
}  // namespace llcl
