#include "topo/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "topo/tests/machines.h"

namespace topo {
namespace {

TEST(Split, IsTheArithmeticOfThePapersFigure6) {
  const std::int64_t n = 10, threads = 4;
  const std::int64_t q = n / threads, r = n % threads;
  for (std::int64_t core = 0; core < threads; ++core) {
    const std::int64_t ls = q * (core + 0) + std::min(r, core + 0);
    const std::int64_t le = q * (core + 1) + std::min(r, core + 1);
    EXPECT_EQ(Split(n, threads, core), (Range{ls, le}));
  }
}

TEST(Split, TheFirstPartsTakeTheRemainder) {
  EXPECT_EQ(Split(7, 3, 0), (Range{0, 3}));
  EXPECT_EQ(Split(7, 3, 1), (Range{3, 5}));
  EXPECT_EQ(Split(7, 3, 2), (Range{5, 7}));
}

TEST(Split, MorePartsThanElementsLeavesTheLastOnesEmpty) {
  EXPECT_EQ(Split(2, 4, 1), (Range{1, 2}));
  EXPECT_TRUE(Split(2, 4, 2).empty());
  EXPECT_TRUE(Split(2, 4, 3).empty());
}

std::vector<std::int64_t> PrefixOf(const std::vector<std::int64_t>& weights) {
  std::vector<std::int64_t> prefix = {0};
  for (const std::int64_t weight : weights) prefix.push_back(prefix.back() + weight);
  return prefix;
}

TEST(SplitByWeight, CutsWhereTheWeightIsNearestToEqualShares) {
  const std::vector<std::int64_t> prefix = PrefixOf({8, 1, 1, 2, 4, 4, 4});
  EXPECT_EQ(SplitByWeight(prefix, 3, 0), (Range{0, 1}));
  EXPECT_EQ(SplitByWeight(prefix, 3, 1), (Range{1, 5}));
  EXPECT_EQ(SplitByWeight(prefix, 3, 2), (Range{5, 7}));
}

TEST(SplitByWeight, AHeavyElementLeavesThePartBesideItEmpty) {
  const std::vector<std::int64_t> prefix = PrefixOf({1, 100, 1});
  EXPECT_EQ(SplitByWeight(prefix, 4, 0), (Range{0, 1}));
  EXPECT_EQ(SplitByWeight(prefix, 4, 1), (Range{1, 1}));
  EXPECT_EQ(SplitByWeight(prefix, 4, 2), (Range{1, 2}));
  EXPECT_EQ(SplitByWeight(prefix, 4, 3), (Range{2, 3}));
}

TEST(SplitByWeight, CutsByNumberWhereNothingWeighsAnything) {
  const std::vector<std::int64_t> prefix(101, 0);
  for (std::int64_t part = 0; part < 3; ++part) {
    EXPECT_EQ(SplitByWeight(prefix, 3, part), Split(100, 3, part));
  }
  EXPECT_EQ(SplitByWeight(std::vector<std::int64_t>{0}, 3, 1), (Range{0, 0}));
}

TEST(SplitByWeight, SharesOfNearlyTheLargestWeightDoNotOverflow) {
  const std::int64_t half = INT64_MAX / 2;
  EXPECT_EQ(SplitByWeight(PrefixOf({half, half}), 2, 0), (Range{0, 1}));
  EXPECT_EQ(SplitByWeight(PrefixOf({half, half}), 2, 1), (Range{1, 2}));
}

// Random weights: the parts follow each other, begin at multiples, and each boundary is the best.
TEST(SplitByWeight, PartsOfRandomWeightsCoverAllAndNoOtherBoundaryIsNearer) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int64_t> weights(random() % 40);
    for (std::int64_t& weight : weights)
      weight = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 50);
    const std::vector<std::int64_t> prefix = PrefixOf(weights);
    const auto elements = static_cast<std::int64_t>(weights.size());
    const auto parts = static_cast<std::int64_t>(1 + random() % 6),
               align = static_cast<std::int64_t>(1 + random() % 5);
    std::int64_t end = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Range range = SplitByWeight(prefix, parts, part, align);
      ASSERT_EQ(range.begin, end);
      ASSERT_LE(range.begin, range.end);
      ASSERT_TRUE(range.begin % align == 0 || range.begin == elements);
      end = range.end;
      if (part == 0 || prefix.back() == 0) continue;
      const auto off = [&](std::int64_t boundary) {
        return std::abs(prefix[static_cast<std::size_t>(std::min(boundary, elements))] -
                        prefix.back() * part / parts);
      };
      for (std::int64_t other = 0; other < elements + align; other += align) {
        ASSERT_LE(off(range.begin), off(other)) << "round " << round;
      }
    }
    ASSERT_EQ(end, elements);
  }
}

TEST(ShareOf, UnevenNodesGetSharesByTheirThreads) {
  // Three threads on node 0, one on node 1, dealt 0 1 0 0 by the user.
  const Topology topology = Synthetic("pack:2 [numa] core:4 pu:1");
  const std::vector<PuId> order = {PuId{0}, PuId{4}, PuId{1}, PuId{2}};
  const Mapping mapping = *PlanInOrder(topology, order, 4);
  EXPECT_EQ(ShareOfNode(100, mapping, 0), (Range{0, 75}));
  EXPECT_EQ(ShareOfNode(100, mapping, 1), (Range{75, 100}));
  EXPECT_EQ(ShareOf(100, mapping, mapping[1]), (Range{75, 100}));
  EXPECT_EQ(ShareOf(100, mapping, mapping[2]), (Range{25, 50}));
}

}  // namespace
}  // namespace topo
