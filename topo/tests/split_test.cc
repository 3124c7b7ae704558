#include "topo/split.h"

#include <gtest/gtest.h>

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
