// Counts that others have published.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "apps/simpath/plan.h"
#include "apps/simpath/problem.h"
#include "apps/simpath/sequential.h"
#include "apps/simpath/tests/graphs.h"

namespace simpath {
namespace {

std::string PathsBetween(const graph::EdgeList& list, std::uint64_t source, std::uint64_t target) {
  const auto problem = MakeProblem(list, source, target);
  EXPECT_TRUE(problem.ok()) << problem.status();
  const auto counted = CountSequentially(MakePlan(*problem));
  EXPECT_TRUE(counted.ok()) << counted.status();
  return counted->ToString();
}

TEST(KnownCounts, CornersOfGrids) {
  for (int cells = 1; cells <= 9; ++cells) {
    const std::string& expected = kGridPaths[static_cast<std::size_t>(cells - 1)];
    graph::EdgeList grid = Grid(cells);
    EXPECT_EQ(PathsBetween(grid, 0, grid.vertices - 1), expected) << cells;
    std::reverse(grid.edges.begin(), grid.edges.end());
    EXPECT_EQ(PathsBetween(grid, 0, grid.vertices - 1), expected) << cells << ", reversed";
  }
}

TEST(KnownCounts, CompleteGraph) { EXPECT_EQ(PathsBetween(Complete(10), 0, 9), "109601"); }

TEST(KnownCounts, CornersOfKingsBoards) {
  EXPECT_EQ(PathsBetween(King(3), 0, 8), "235");
  EXPECT_EQ(PathsBetween(King(4), 0, 15), "96371");
  EXPECT_EQ(PathsBetween(King(5), 0, 24), "447544629");
}

TEST(KnownCounts, OppositeCornersOfHypercubes) {
  EXPECT_EQ(PathsBetween(Hypercube(3), 0, 7), "18");
  EXPECT_EQ(PathsBetween(Hypercube(4), 0, 15), "6432");
}

// A number of 999 bits: each rung but the last is passed above or below.
TEST(KnownCounts, LaddersHaveTwiceAsManyARung) {
  Count power = 1;
  for (int i = 1; i < 1000; ++i) power += power;
  EXPECT_EQ(PathsBetween(Ladder(1000), 0, 1998), power.ToString());
}

TEST(KnownCounts, AFrontierThatIsTooWideIsRefusedBeforeItsMemoryIsTaken) {
  const auto problem = *MakeProblem(Grid(9), 0, 99);
  for (const std::uint64_t limit : {0u, 1000u, 100'000u}) {
    const auto refused =
        CountSequentially(MakePlan(problem), {.memory_limit = limit, .progress = {}});
    EXPECT_TRUE(absl::IsResourceExhausted(refused.status())) << limit;
  }
  EXPECT_TRUE(
      CountSequentially(MakePlan(problem), {.memory_limit = 2'000'000, .progress = {}}).ok());
}

// [ULIBC14] figure 10: {e1, e4} and {e2, e3, e4}.
TEST(KnownCounts, ThePapersExample) {
  EXPECT_EQ(PathsBetween(Graph(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}}), 0, 3), "2");
}

}  // namespace
}  // namespace simpath
