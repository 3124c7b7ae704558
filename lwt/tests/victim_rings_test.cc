#include "lwt/kernel/victim_rings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lwt {
namespace {

using ::testing::ElementsAre;

// Two nodes of two cores of two PUs; the nodes are 21 apart.
std::vector<std::uint64_t> TwoNodes() {
  std::vector<Place> places;
  for (int node = 0; node < 2; ++node) {
    for (int core = 0; core < 2; ++core) {
      for (int smt = 0; smt < 2; ++smt) places.push_back({node * 2 + core, node});
    }
  }
  return DistancesOf(places, std::vector<std::uint64_t>{10, 21, 21, 10}, 2);
}

TEST(VictimRings, TheSiblingOfTheCoreComesFirstAndTheOtherNodeLast) {
  EXPECT_THAT(RingsOf(2, 8, TwoNodes()),
              ElementsAre(Ring{0, {3}}, Ring{1, {0, 1}}, Ring{21, {4, 5, 6, 7}}));
}

TEST(VictimRings, EveryOtherWorkerIsInExactlyOneRing) {
  const std::vector<std::uint64_t> distances = TwoNodes();
  for (int worker = 0; worker < 8; ++worker) {
    std::vector<int> seen(8, 0);
    for (const Ring& ring : RingsOf(worker, 8, distances)) {
      for (int other : ring.workers) ++seen[static_cast<std::size_t>(other)];
    }
    for (int other = 0; other < 8; ++other) {
      EXPECT_EQ(seen[static_cast<std::size_t>(other)], other == worker ? 0 : 1);
    }
  }
}

TEST(VictimRings, WorkersThatAreAnywhereAreAllEquallyNear) {
  const std::vector<Place> places(4);
  EXPECT_THAT(RingsOf(0, 4, DistancesOf(places, {}, 1)), ElementsAre(Ring{1, {1, 2, 3}}));
}

TEST(VictimRings, AMachineThatTellsNoDistancesStillKeepsNodesApart) {
  const std::vector<Place> places = {{0, 0}, {1, 1}, {2, 0}};
  EXPECT_THAT(RingsOf(0, 3, DistancesOf(places, {}, 2)), ElementsAre(Ring{1, {2}}, Ring{100, {1}}));
}

TEST(VictimRings, AWorkerAloneHasNobodyToRob) {
  EXPECT_TRUE(RingsOf(0, 1, std::vector<std::uint64_t>{0}).empty());
}

}  // namespace
}  // namespace lwt
