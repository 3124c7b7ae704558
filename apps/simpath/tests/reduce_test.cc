// What is reduced, and that the number of paths stays the same.
#include "apps/simpath/reduce/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/reduced.h"

namespace simpath {
namespace {

using graph::Edge;
using graph::Vertex;

Problem Between(const graph::EdgeList& list, std::uint64_t source, std::uint64_t target) {
  const auto problem = MakeProblem(list, source, target);
  EXPECT_TRUE(problem.ok()) << problem.status();
  return *problem;
}

std::string Paths(const Reduction& reduction) {
  const auto counted = CountParts(reduction);
  EXPECT_TRUE(counted.ok()) << counted.status();
  return counted.ok() ? counted->ToString() : "";
}

Count PowerOfTwo(int exponent) {
  Count power = 1;
  for (int i = 0; i < exponent; ++i) power += power;
  return power;
}

// Four vertices that all have edges to each other, but for `from` and `to`: 4 paths.
void AddSide(std::vector<Edge>& edges, Vertex from, Vertex to, Vertex inner) {
  edges.insert(
      edges.end(),
      {{from, inner}, {from, inner + 1}, {inner, inner + 1}, {inner, to}, {inner + 1, to}});
}

TEST(Reduce, AVertexHasOnePathToItselfAndNeedsNoPart) {
  const Reduction reduction = Reduce(Between(Grid(3), 5, 5));
  EXPECT_TRUE(reduction.parts().empty());
  EXPECT_EQ(Paths(reduction), "1");
}

TEST(Reduce, WithoutAPathTheAnswerIsZeroAndNeedsNoPart) {
  const graph::EdgeList two = Graph(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
  const Reduction reduction = Reduce(Between(two, 0, 4));
  EXPECT_TRUE(reduction.parts().empty());
  EXPECT_EQ(reduction.made().dropped, 6u);
  EXPECT_EQ(Paths(reduction), "0");
  EXPECT_EQ(Paths(Reduce(Between(Graph(2, {}), 0, 1))), "0");
}

TEST(Reduce, AnEdgeThatStandsForNoPathIsDropped) {
  Problem problem = Between(Graph(4, {{0, 1}, {1, 3}, {0, 2}, {2, 3}}), 0, 3);
  problem.weights = {2, 3, 0, 5};
  const Reduction reduction = Reduce(problem);
  EXPECT_EQ(reduction.made().dropped, 2u);  // it, and the one that it leads to
  EXPECT_EQ(Paths(reduction), "6");
}

TEST(Reduce, ALongPathTakesNoStack) {
  constexpr Vertex kVertices = 300'000;
  graph::EdgeList list = Graph(kVertices, {});
  for (Vertex i = 0; i + 1 < kVertices; ++i) list.edges.push_back({i, i + 1});
  Problem problem = Between(list, 0, kVertices - 1);
  const Reduction blocks = Reduce(problem);
  EXPECT_EQ(blocks.made().blocks, kVertices - 1);
  EXPECT_EQ(Paths(blocks), "1");
  // A cycle is a block, of two chains. Its first edge stands for three paths.
  problem.edges.push_back({kVertices - 1, 0});
  problem.target = kVertices / 2;
  problem.weights.assign(problem.edges.size(), 1);
  problem.weights[0] = 3;
  const Reduction chains = Reduce(problem);
  EXPECT_EQ(chains.made().series, kVertices - 2);
  EXPECT_EQ(chains.made().parallel, 1u);
  EXPECT_EQ(Paths(chains), "4");
}

TEST(Reduce, ASourceInTheMiddleOfAChainEndsIt) {
  // 2 - 0 - 1 - 3, and 2 - 3, and 4 between 2 and 3: from 1 to 4.
  const graph::EdgeList list = Graph(5, {{2, 0}, {0, 1}, {1, 3}, {2, 3}, {2, 4}, {4, 3}});
  for (const bool swapped : {false, true}) {
    const Reduction reduction = Reduce(swapped ? Between(list, 4, 1) : Between(list, 1, 4));
    EXPECT_EQ(reduction.made().series, 1u);
    ASSERT_EQ(reduction.parts().size(), 1u);
    EXPECT_EQ(reduction.parts()[0].edges.size(), 5u);
    EXPECT_EQ(Paths(reduction), "4");
  }
}

TEST(Reduce, BlocksOnTheWayMultiplyAndOthersAreDropped) {
  std::vector<Edge> edges;
  AddSide(edges, 0, 3, 1);    // 0 to 3
  AddSide(edges, 3, 6, 4);    // 3 to 6
  AddSide(edges, 3, 9, 7);    // leads away from 3
  AddSide(edges, 6, 12, 10);  // behind the target
  const Problem problem = Between(Graph(13, edges), 0, 6);
  const Reduction reduction = Reduce(problem);
  EXPECT_EQ(reduction.made().dropped, 10u);
  EXPECT_EQ(reduction.made().blocks, 2u);
  EXPECT_EQ(SizesOfParts(reduction),
            (std::vector<std::pair<std::size_t, std::size_t>>{{4, 5}, {4, 5}}));
  EXPECT_EQ(Paths(reduction), "16");
  EXPECT_EQ(CountByTrying(problem), Count(16));
}

// Two in series, with an edge beside them, and so on: a block whose only 2-separators are chains'.
TEST(Reduce, SeriesParallelGraphsLeaveNothingToCount) {
  constexpr int kDepth = 10;
  std::vector<Edge> edges = {{0, 1}};
  Vertex vertices = 2;
  for (int depth = 0; depth < kDepth; ++depth) {
    // Each edge of before is beside two new ones.
    std::vector<Edge> next;
    for (const Edge edge : edges) {
      const Vertex middle = vertices++;
      next.insert(next.end(), {edge, {edge.from, middle}, {middle, edge.to}});
    }
    edges = next;
  }
  const Problem problem = Between(Graph(vertices, edges), 0, 1);
  const Reduction reduction = Reduce(problem);
  EXPECT_TRUE(reduction.parts().empty());
  EXPECT_EQ(reduction.made().series, vertices - 2);
  EXPECT_EQ(reduction.made().parallel, vertices - 2);
  const auto whole = CountSequentially(MakePlan(problem));
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(Paths(reduction), whole->ToString());
}

TEST(Reduce, LaddersLeaveNothingBetweenTheEndsOfARung) {
  const Reduction rung = Reduce(Between(Ladder(1000), 0, 1));
  EXPECT_TRUE(rung.parts().empty());
  EXPECT_EQ(Paths(rung), "1000");
  // From one end to the other, two vertices separate source from target, not a side from both.
  const Reduction length = Reduce(Between(Ladder(1000), 0, 1998));
  EXPECT_EQ(length.made().series, 2u);
  EXPECT_EQ(length.parts().size(), 1u);
  EXPECT_EQ(Paths(length), PowerOfTwo(999).ToString());
}

TEST(Reduce, WeightsThatCameInMultiplyAlongAChainAndAddUpBesideEachOther) {
  // 0 - 1 - 3 by 2 and 3, 0 - 2 - 3 by 5 and 7, 3 - 4 by 11, and 0 - 4 by 2^70.
  Problem problem = Between(Graph(5, {{0, 1}, {1, 3}, {0, 2}, {2, 3}, {3, 4}, {0, 4}}), 0, 4);
  problem.weights = {2, 3, 5, 7, 11, PowerOfTwo(70)};
  const Reduction reduction = Reduce(problem);
  EXPECT_TRUE(reduction.parts().empty());
  Count expected = PowerOfTwo(70);
  expected += (2 * 3 + 5 * 7) * 11;
  EXPECT_EQ(Paths(reduction), expected.ToString());
}

TEST(Reduce, WeightsOfAPartAreThoseOfItsEdges) {
  std::vector<Edge> edges;
  AddSide(edges, 0, 3, 1);
  Problem problem = Between(Graph(4, edges), 0, 3);
  problem.weights = {2, 3, 5, 7, 11};
  const Reduction reduction = Reduce(problem);
  EXPECT_EQ(reduction.parts().size(), 1u);
  EXPECT_EQ(Paths(reduction), std::to_string(2 * 7 + 3 * 11 + 2 * 5 * 11 + 3 * 5 * 7));
}

// Each side's middle edge is replaced by the next side.
TEST(Reduce, SidesInSidesAreCountedFromTheInnermost) {
  constexpr Vertex kDepth = 100;
  std::vector<Edge> edges;
  Vertex from = 0, to = 1;
  // Paths of a side whose middle edge stands for n: 2 + 2n.
  Count expected = 1;
  for (Vertex depth = 0; depth < kDepth; ++depth) {
    const Vertex inner = 2 + 2 * depth;
    AddSide(edges, from, to, inner);
    if (depth + 1 < kDepth) edges.erase(edges.end() - 3);
    from = inner;
    to = inner + 1;
    Count doubled = expected;
    doubled += expected;
    doubled += 2;
    expected = doubled;
  }
  const Problem problem = Between(Graph(2 + 2 * kDepth, edges), 0, 1);
  const Reduction reduction = Reduce(problem);
  EXPECT_EQ(reduction.parts().size(), kDepth);
  EXPECT_EQ(reduction.made().sides, kDepth - 1);
  EXPECT_EQ(Paths(reduction), expected.ToString());
  // Where the search for them may not begin, it is one part, and has as many paths.
  for (const ReduceOptions options :
       {ReduceOptions{.separator_steps = 0}, ReduceOptions{.separator_vertices = 50}}) {
    const Reduction whole = Reduce(problem, options);
    EXPECT_EQ(whole.parts().size(), 1u);
    EXPECT_EQ(Paths(whole), expected.ToString());
  }
}

// Between the same two vertices: two sides, and an edge.
TEST(Reduce, SidesBesideEachOtherAddUp) {
  std::vector<Edge> edges;
  AddSide(edges, 0, 1, 2);
  edges[2] = {2, 3};
  AddSide(edges, 2, 3, 4);
  AddSide(edges, 2, 3, 6);
  const Problem problem = Between(Graph(8, edges), 0, 1);
  const Reduction reduction = Reduce(problem);
  EXPECT_EQ(reduction.parts().size(), 3u);
  EXPECT_EQ(Paths(reduction), "20");  // 2 + 2 (1 + 4 + 4)
  EXPECT_EQ(CountByTrying(problem), Count(20));
}

TEST(Reduce, AGridLosesItsCornersAndKeepsItsOrder) {
  constexpr int kCells = 6;
  const Problem grid = Between(Grid(kCells), 0, (kCells + 1) * (kCells + 1) - 1);
  const Reduction reduction = Reduce(grid);
  EXPECT_EQ(reduction.made().series, 2u);
  ASSERT_EQ(reduction.parts().size(), 1u);
  const Problem& part = reduction.parts()[0];
  EXPECT_EQ(part.edges.size(), grid.edges.size() - 2);
  const Plan before = MakePlan(grid), after = MakePlan(part);
  EXPECT_EQ(before.slots, after.slots);
  for (const Plan* plan : {&before, &after}) {
    EXPECT_GE(static_cast<std::size_t>(std::count(plan->widths.begin(), plan->widths.end(), 8)),
              std::size_t{1});
  }
  EXPECT_EQ(Paths(reduction), kGridPaths[kCells - 1]);
}

TEST(Reduce, AKingsBoardStaysAsItIs) {
  const Problem king = Between(King(5), 0, 24);
  const Reduction reduction = Reduce(king);
  ASSERT_EQ(reduction.parts().size(), 1u);
  EXPECT_EQ(reduction.parts()[0].edges, king.edges);
  EXPECT_EQ(Paths(reduction), "447544629");
}

TEST(Reduce, PartsCountInAnyOrderOfTheirEdges) {
  Problem problem = Between(King(3), 0, 8);
  for (std::uint64_t i = 0; i < problem.edges.size(); ++i) problem.weights.push_back(1 + i % 4);
  Reduction reduction = Reduce(problem);
  const std::string paths = Paths(reduction);
  EXPECT_EQ(paths, CountByTrying(problem).ToString());
  for (std::size_t part = 0; part < reduction.parts().size(); ++part) {
    std::vector<std::size_t> backwards;
    for (std::size_t i = reduction.parts()[part].edges.size(); i-- > 0;) backwards.push_back(i);
    reduction.Reorder(part, backwards);
  }
  EXPECT_EQ(Paths(reduction), paths);
}

TEST(Reduce, TheFirstErrorOfAPartIsTheAnswer) {
  const Reduction reduction = Reduce(Between(King(4), 0, 15));
  const auto refused = reduction.CountPaths([](std::size_t, const Problem&) {
    return absl::StatusOr<Count>(absl::ResourceExhaustedError("too wide"));
  });
  EXPECT_EQ(refused.status(), absl::ResourceExhaustedError("too wide"));
}

}  // namespace
}  // namespace simpath
