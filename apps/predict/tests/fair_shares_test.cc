#include "apps/predict/machine/fair_shares.h"

#include <cstdint>
#include <iostream>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using predict::FairShares;
using predict::Use;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(FairSharesTest, FlowsThatFitRunAtFullSpeed) {
  EXPECT_THAT(FairShares({{{0, 1}}, {{0, 2}}, {}}, {3}), ElementsAre(1, 1, 1));
}

TEST(FairSharesTest, AResourceSlowsAllThatUseItAlike) {
  EXPECT_THAT(FairShares({{{0, 1}}, {{0, 3}}}, {2}), ElementsAre(0.5, 0.5));
}

TEST(FairSharesTest, WhatASlowedFlowLeavesGoesToOthers) {
  // The first two have 0.5 of resource 0; the third is the only other one of resource 1.
  EXPECT_THAT(FairShares({{{0, 1}}, {{0, 1}, {1, 1}}, {{1, 1}}}, {1, 1.25}),
              ElementsAre(0.5, 0.5, DoubleNear(0.75, 1e-12)));
}

// Max-min: each flow below full speed uses a resource that is used up, in which no other has more.
TEST(FairSharesTest, RandomFlowsHaveABottleneckEach) {
  constexpr std::uint64_t kSeed = 17;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937_64 random(kSeed);
  for (int program = 0; program < 1000; ++program) {
    std::vector<double> capacities;
    for (std::uint64_t r = 0, count = 1 + random() % 6; r < count; ++r) {
      capacities.push_back(1 + static_cast<double>(random() % 100));
    }
    std::vector<std::vector<Use>> flows(1 + random() % 8);
    for (auto& flow : flows) {
      for (std::size_t r = 0; r < capacities.size(); ++r) {
        if (random() % 2 == 0) flow.push_back({r, static_cast<double>(random() % 50)});
      }
    }
    const std::vector<double> shares = FairShares(flows, capacities);
    std::vector<double> used(capacities.size(), 0), most(capacities.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      for (const Use& use : flows[f]) {
        used[use.resource] += shares[f] * use.amount;
        if (use.amount > 0) most[use.resource] = std::max(most[use.resource], shares[f]);
      }
    }
    for (std::size_t r = 0; r < capacities.size(); ++r) {
      ASSERT_LE(used[r], capacities[r] * (1 + 1e-9)) << "program " << program;
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (shares[f] == 1) continue;
      bool has_bottleneck = false;
      for (const Use& use : flows[f]) {
        has_bottleneck |= use.amount > 0 && used[use.resource] > capacities[use.resource] * 0.999 &&
                          shares[f] >= most[use.resource] - 1e-9;
      }
      ASSERT_TRUE(has_bottleneck) << "program " << program << ", flow " << f;
    }
  }
}

}  // namespace
