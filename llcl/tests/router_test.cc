#include "llcl/aggregator/router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace llcl {
namespace {

TEST(Router, BringsEachRecordToItsRankInAtMostTwoHops) {
  for (int size = 1; size <= 150; ++size) {
    for (const Routes routes : {Routes::kAuto, Routes::kDirect, Routes::kGrid}) {
      const Router router(size, routes);
      for (int from = 0; from < size; ++from) {
        for (int to = 0; to < size; ++to) {
          const int next = router.Next(from, to);
          ASSERT_TRUE(next >= 0 && next < size);
          ASSERT_TRUE(router.AreNeighbors(from, next));
          if (next == to) continue;
          ASSERT_EQ(router.hops(), 2);
          // The second hop is its last.
          ASSERT_TRUE(router.AreNeighbors(next, to)) << size << ": " << from << " to " << to;
          ASSERT_EQ(router.Next(next, to), to);
        }
      }
    }
  }
}

TEST(Router, HasNeighborsBothWays) {
  for (const int size : {1, 2, 5, 64, 65, 100, 180, 1024}) {
    const Router router(size, Routes::kGrid);
    std::size_t most = 0;
    for (int rank = 0; rank < size; ++rank) {
      const std::vector<int> neighbors = router.NeighborsOf(rank);
      EXPECT_TRUE(std::is_sorted(neighbors.begin(), neighbors.end()));
      EXPECT_TRUE(std::binary_search(neighbors.begin(), neighbors.end(), rank));
      for (const int other : neighbors) EXPECT_TRUE(router.AreNeighbors(other, rank));
      most = std::max(most, neighbors.size());
    }
    EXPECT_EQ(most, router.NeighborsOf(0).size());
    // A row and a column.
    EXPECT_LE(static_cast<double>(most), 2 * std::ceil(std::sqrt(size)) - 1);
  }
}

TEST(Router, TakesAGridAboveSixtyFourRanks) {
  EXPECT_EQ(Router(64, Routes::kAuto).hops(), 1);
  EXPECT_EQ(Router(65, Routes::kAuto).hops(), 2);
  EXPECT_EQ(Router(64, Routes::kGrid).hops(), 2);
  EXPECT_EQ(Router(1000, Routes::kDirect).hops(), 1);
  // One row.
  EXPECT_EQ(Router(2, Routes::kGrid).hops(), 1);
}

}  // namespace
}  // namespace llcl
