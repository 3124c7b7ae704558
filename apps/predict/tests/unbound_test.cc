#include "apps/predict/machine/unbound.h"

#include <map>

#include "apps/predict/machine/known_machines.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "topo/topo.h"

namespace {

using predict::UnboundThreads;

int MostOnAPu(const UnboundThreads& threads) {
  std::map<topo::PuId, int> counts;
  int most = 0;
  for (const topo::PuId pu : threads.pus()) most = std::max(most, ++counts[pu]);
  return most;
}

TEST(UnboundTest, AThreadThatHasAPuOfItsOwnStays) {
  const auto machine = *predict::KnownMachine("4x-e5-4640");
  UnboundThreads threads(machine.topology(), 1, 1);
  const auto before = threads.pus();
  for (int time = 0; time < 10; ++time) threads.Balance();
  EXPECT_EQ(threads.pus(), before);
}

TEST(UnboundTest, SomeOfAsManyThreadsAsPusShareOneUntilTheyAreBalanced) {
  const auto machine = *predict::KnownMachine("4x-e5-4640");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    UnboundThreads threads(machine.topology(), 64, seed);
    EXPECT_GT(MostOnAPu(threads), 1) << "seed " << seed;
    for (int time = 0; time < 1000; ++time) threads.Balance();
    EXPECT_EQ(MostOnAPu(threads), 1) << "seed " << seed;
  }
}

TEST(UnboundTest, TheSameSeedIsTheSameDraw) {
  const auto machine = *predict::KnownMachine("4x-e5-4640");
  EXPECT_EQ(UnboundThreads(machine.topology(), 40, 3).pus(),
            UnboundThreads(machine.topology(), 40, 3).pus());
  EXPECT_NE(UnboundThreads(machine.topology(), 40, 3).pus(),
            UnboundThreads(machine.topology(), 40, 4).pus());
}

TEST(UnboundTest, TheMedianIsOfNineDraws) {
  const auto machine = *predict::KnownMachine("4x-e5-4640");
  int calls = 0;
  EXPECT_EQ(
      predict::MedianOfDraws(machine.topology(), 2, 1, [&](UnboundThreads&) { return ++calls; }),
      5);
  EXPECT_EQ(calls, predict::kDraws);
}

}  // namespace
