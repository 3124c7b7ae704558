// What the models are for: the paper's findings come out of them, and go where their cause is
// taken away.
#include <vector>

#include "apps/predict/machine/known_machines.h"
#include "apps/predict/machine/machine.h"
#include "apps/predict/programs/bfs.h"
#include "apps/predict/programs/elements.h"
#include "apps/predict/programs/simpath.h"
#include "apps/predict/programs/stream.h"
#include "apps/stream/arrays/arrays.h"
#include "gtest/gtest.h"
#include "topo/topo.h"

namespace {

using predict::Machine;
using topo::Policy;

topo::Mapping On(const Machine& machine, Policy policy, int threads) {
  return *topo::Plan(machine.topology(), policy, threads);
}

TEST(FiguresTest, Figure8TriadIsAsFastAsTheNodesInUse) {
  const Machine machine = *predict::KnownMachine("4x-e5-4640");
  const auto ns = [&](Policy policy, int threads) {
    return TriadNs(machine, On(machine, policy, threads), {});
  };
  EXPECT_NEAR(ns(Policy::kCompact, 16) / ns(Policy::kCompactPlus, 16), 2, 0.01);
  EXPECT_NEAR(ns(Policy::kCompact, 16) / ns(Policy::kScatter, 16), 4, 0.01);
  EXPECT_EQ(ns(Policy::kScatter, 64), ns(Policy::kCompact, 64));
  EXPECT_GT(ns(Policy::kNone, 64), 1.2 * ns(Policy::kScatter, 64));
}

TEST(FiguresTest, Figure2ArraysThatOneThreadTouchedFirstAreAsSlowAsItsNodeAndItsLinks) {
  const Machine machine = *predict::KnownMachine("4x-e5-4640");
  const topo::Mapping all = On(machine, Policy::kScatter, 64);
  EXPECT_GT(TriadNs(machine, all, {.where = stream::Where::kSerial}),
            4 * TriadNs(machine, all, {}));
}

TEST(FiguresTest, Figure9MoreNodesSearchFaster) {
  const Machine machine = *predict::KnownMachine("4x-e5-4640");
  const predict::SearchWork search = predict::CountSearch({.scale = 14}, 1);
  const auto ns = [&](Policy policy) {
    return SearchNs(machine, On(machine, policy, 16), search, {.times = 4096});
  };
  EXPECT_LT(ns(Policy::kScatter), ns(Policy::kCompact) / 1.4);
  EXPECT_LT(ns(Policy::kCompactPlus), ns(Policy::kCompact) / 1.4);
  EXPECT_GT(ns(Policy::kNone), ns(Policy::kCompact) * 1.4);
}

TEST(FiguresTest, TheCountedSearchReachesEachVertexOfTheComponentOnce) {
  const predict::SearchWork search = predict::CountSearch({.scale = 10}, 1);
  double found = 1;  // the root
  double frontier = 0;
  for (const predict::LevelWork& level : search.levels) {
    found += level.found;
    frontier += level.frontier;
  }
  EXPECT_EQ(found, frontier);
  EXPECT_GT(found, search.vertices / 2);
}

class EdgeBasedTest : public ::testing::Test {
 protected:
  double Ns(Policy policy, int threads, predict::StateCosts costs = {}) const {
    return EdgeBasedNs(machine_, On(machine_, policy, threads),
                       {.states = std::vector<double>(544, 1e6), .costs = costs});
  }
  const Machine machine_ = *predict::KnownMachine("4x-e5-4640");
};

TEST_F(EdgeBasedTest, Figure12ASlowLinkInTheRingSlowsAllThreads) {
  EXPECT_GT(Ns(Policy::kScatter, 2), Ns(Policy::kScatter, 1));
  EXPECT_GT(Ns(Policy::kCompact, 32), Ns(Policy::kCompact, 16));
  EXPECT_GT(Ns(Policy::kCompactPlus, 16), Ns(Policy::kCompactPlus, 8));
  EXPECT_NEAR(Ns(Policy::kCompactPlus, 16) / Ns(Policy::kCompact, 16), 2, 0.5);
  EXPECT_GT(Ns(Policy::kNone, 64), 1.2 * Ns(Policy::kCompact, 64));
}

TEST_F(EdgeBasedTest, WithoutLinesBetweenThreadsTwoNodesAreFasterThanOne) {
  const predict::StateCosts free_queues = {.queue_lines = 0};
  EXPECT_LT(Ns(Policy::kScatter, 2, free_queues), Ns(Policy::kScatter, 1, free_queues));
  EXPECT_LT(Ns(Policy::kCompactPlus, 16, free_queues), Ns(Policy::kCompactPlus, 8, free_queues));
}

class ElementsTest : public ::testing::Test {
 protected:
  double Ns(Policy policy, int threads, double constraints,
            predict::Team team = predict::Team::kEachLoop) const {
    return ElementsNs(machine_, On(machine_, policy, threads),
                      {.blocks = 100, .constraints = constraints, .team = team});
  }
  const Machine machine_ = *predict::KnownMachine("4x-e7-4870");
};

TEST_F(ElementsTest, Figure16TeamsThatAreCreatedForEachSmallBlockCostMoreThanTheBlocks) {
  EXPECT_LT(Ns(Policy::kCompact, 1, 12), Ns(Policy::kCompact, 2, 12));
  EXPECT_LT(Ns(Policy::kCompact, 8, 12), Ns(Policy::kScatter, 8, 12));
  EXPECT_GT(Ns(Policy::kCompact, 1, 12, predict::Team::kKept),
            Ns(Policy::kCompact, 4, 12, predict::Team::kKept));
}

TEST_F(ElementsTest, Figure15LargerBlocksGainOnOneNodeOnly) {
  EXPECT_LT(Ns(Policy::kCompact, 8, 70), Ns(Policy::kCompact, 1, 70));
  EXPECT_GT(Ns(Policy::kScatter, 8, 70), Ns(Policy::kScatter, 1, 70));
  EXPECT_GT(Ns(Policy::kScatter, 16, 70), Ns(Policy::kScatter, 8, 70));
}

}  // namespace
