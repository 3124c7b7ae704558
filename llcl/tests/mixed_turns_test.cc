#include <gtest/gtest.h>

#include <algorithm>

#include "llcl/mixed/turns.h"

namespace llcl {
namespace {

// The looks at a silent network in so many polls, of which every `every`th finds something in
// shared memory; 0: none.
int LooksIn(NetworkTurns& turns, int polls, int every) {
  int looks = 0;
  for (int poll = 1; poll <= polls; ++poll) {
    if (every > 0 && poll % every == 0) turns.OnNear();
    if (!turns.IsDue()) continue;
    ++looks;
    turns.OnNothing();
  }
  return looks;
}

TEST(NetworkTurns, LooksInEachPollWhileNothingComes) {
  NetworkTurns turns;
  EXPECT_EQ(LooksIn(turns, 10'000, 0), 10'000);
}

TEST(NetworkTurns, LooksSeldomWhileSharedMemoryAloneIsBusy) {
  NetworkTurns turns;
  (void)LooksIn(turns, 10'000, 10);
  EXPECT_LE(LooksIn(turns, 100'000, 10), 100'000 / NetworkTurns::kMostBetween + 1);
  EXPECT_GE(LooksIn(turns, NetworkTurns::kMostBetween, 10), 1) << "a message waits for ever";
}

TEST(NetworkTurns, LooksInEachPollAgainOnceTheNetworkIsUsed) {
  NetworkTurns turns;
  (void)LooksIn(turns, 100'000, 10);
  turns.OnFar();
  EXPECT_EQ(LooksIn(turns, NetworkTurns::kBusy, 10), NetworkTurns::kBusy);
}

TEST(NetworkTurns, LooksInEachPollAgainOnceSharedMemoryIsIdle) {
  NetworkTurns turns;
  (void)LooksIn(turns, 100'000, 10);
  (void)LooksIn(turns, NetworkTurns::kBusy + NetworkTurns::kMostBetween, 0);
  EXPECT_EQ(LooksIn(turns, 1'000, 0), 1'000);
}

// As where a rank has traffic by both.
TEST(NetworkTurns, LooksInEachPollWhileBothAreBusy) {
  NetworkTurns turns;
  int looks = 0;
  for (int poll = 1; poll <= 10'000; ++poll) {
    if (poll % 10 == 0) turns.OnNear();
    if (!turns.IsDue()) continue;
    ++looks;
    if (poll % 20 == 0) {
      turns.OnFar();
    } else {
      turns.OnNothing();
    }
  }
  EXPECT_EQ(looks, 10'000);
}

}  // namespace
}  // namespace llcl
