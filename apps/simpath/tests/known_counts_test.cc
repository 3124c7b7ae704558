// Counts that others have published.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/modes.h"

namespace simpath {
namespace {

class KnownCounts : public ::testing::TestWithParam<TestedMode> {
 protected:
  // In the edges' order and in the opposite one, which come to other states.
  static std::string PathsBetween(const graph::EdgeList& list, std::uint64_t source,
                                  std::uint64_t target) {
    auto problem = MakeProblem(list, source, target);
    EXPECT_TRUE(problem.ok()) << problem.status();
    const auto counted = GetParam().count(*problem, {});
    EXPECT_TRUE(counted.ok()) << counted.status();
    std::reverse(problem->edges.begin(), problem->edges.end());
    const auto again = GetParam().count(*problem, {});
    EXPECT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->ToString(), counted->ToString());
    return counted->ToString();
  }
};

INSTANTIATE_TEST_SUITE_P(By, KnownCounts, ::testing::ValuesIn(AllModes()), [](const auto& mode) {
  std::string name = mode.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(KnownCounts, CornersOfGrids) {
  for (int cells = 1; cells <= 9; ++cells) {
    const std::string& expected = kGridPaths[static_cast<std::size_t>(cells - 1)];
    const graph::EdgeList grid = Grid(cells);
    EXPECT_EQ(PathsBetween(grid, 0, grid.vertices - 1), expected) << cells;
  }
}

TEST_P(KnownCounts, CompleteGraph) { EXPECT_EQ(PathsBetween(Complete(10), 0, 9), "109601"); }

TEST_P(KnownCounts, CornersOfKingsBoards) {
  EXPECT_EQ(PathsBetween(King(3), 0, 8), "235");
  EXPECT_EQ(PathsBetween(King(4), 0, 15), "96371");
  EXPECT_EQ(PathsBetween(King(5), 0, 24), "447544629");
}

TEST_P(KnownCounts, OppositeCornersOfHypercubes) {
  EXPECT_EQ(PathsBetween(Hypercube(3), 0, 7), "18");
  EXPECT_EQ(PathsBetween(Hypercube(4), 0, 15), "6432");
}

// A number of 999 bits: each rung but the last is passed above or below.
TEST_P(KnownCounts, LaddersHaveTwiceAsManyARung) {
  Count power = 1;
  for (int i = 1; i < 1000; ++i) power += power;
  EXPECT_EQ(PathsBetween(Ladder(1000), 0, 1998), power.ToString());
}

TEST_P(KnownCounts, AFrontierThatIsTooWideIsRefusedBeforeItsMemoryIsTaken) {
  const auto problem = *MakeProblem(Grid(9), 0, 99);
  for (const std::uint64_t limit : {0u, 1000u, 100'000u}) {
    const auto refused = GetParam().count(problem, {.memory_limit = limit, .progress = {}});
    EXPECT_TRUE(absl::IsResourceExhausted(refused.status())) << limit;
  }
  EXPECT_TRUE(GetParam().count(problem, {.memory_limit = 4'000'000, .progress = {}}).ok());
}

// [ULIBC14] figure 10: {e1, e4} and {e2, e3, e4}.
TEST_P(KnownCounts, ThePapersExample) {
  EXPECT_EQ(PathsBetween(Graph(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}}), 0, 3), "2");
}

}  // namespace
}  // namespace simpath
