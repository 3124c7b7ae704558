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
  return counted->paths.ToString();
}

// OEIS A007764, which counts the vertices of a side.
TEST(KnownCounts, CornersOfGrids) {
  const char* const paths[] = {"2",
                               "12",
                               "184",
                               "8512",
                               "1262816",
                               "575780564",
                               "789360053252",
                               "3266598486981642",
                               "41044208702632496804"};
  int cells = 0;
  for (const std::string expected : paths) {
    graph::EdgeList grid = Grid(++cells);
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

// [ULIBC14] figure 10: {e1, e4} and {e2, e3, e4}.
TEST(KnownCounts, ThePapersExample) {
  EXPECT_EQ(PathsBetween(Graph(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}}), 0, 3), "2");
}

}  // namespace
}  // namespace simpath
