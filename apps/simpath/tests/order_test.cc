// Orders of edges: each edge once, with its weight, and how many states they lead to.
#include "apps/simpath/order/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"
#include "apps/simpath/order/elimination.h"
#include "apps/simpath/order/estimate.h"
#include "apps/simpath/order/sweep.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/reduced.h"
#include "tools/random/seeds.h"

namespace simpath {
namespace {

using graph::Edge;

constexpr Order kAllOrders[] = {Order::kInput, Order::kBreadthFirst, Order::kBest};

Problem Between(const graph::EdgeList& list, std::uint64_t source, std::uint64_t target) {
  return *MakeProblem(list, source, target);
}

Problem Corners(const graph::EdgeList& list) { return Between(list, 0, list.vertices - 1); }

// Of all steps together.
std::uint64_t States(const Problem& problem) {
  std::uint64_t states = 0;
  const auto counted = CountSequentially(
      MakePlan(problem), {.memory_limit = ~std::uint64_t{0},
                          .progress = [&](const Done& done) { states += done.states; }});
  EXPECT_TRUE(counted.ok()) << counted.status();
  return states;
}

std::vector<std::size_t> Sorted(std::vector<std::size_t> order) {
  std::sort(order.begin(), order.end());
  return order;
}

TEST(Order, BreadthFirstTakesEdgesAsTheSearchMeetsThem) {
  // [ULIBC14] figure 10, backwards, and an edge that the search does not come to.
  const Problem problem = Between(Graph(6, {{4, 5}, {1, 3}, {1, 2}, {0, 2}, {0, 1}}), 0, 3);
  EXPECT_EQ(OrderEdges(problem, Order::kBreadthFirst), (std::vector<std::size_t>{3, 4, 2, 1, 0}));
}

TEST(Order, WeightsStayWithTheirEdges) {
  Problem problem = Corners(King(3));
  for (const Edge edge : problem.edges) problem.weights.push_back(100 * edge.from + edge.to);
  for (const Order order : kAllOrders) {
    const Problem ordered = Ordered(problem, order);
    ASSERT_EQ(ordered.weights.size(), problem.weights.size());
    for (std::size_t i = 0; i < ordered.edges.size(); ++i) {
      const Edge edge = ordered.edges[i];
      EXPECT_EQ(ordered.weights[i], Count(100 * edge.from + edge.to)) << ToString(order);
    }
  }
}

TEST(Order, EachEdgeComesOnceAlsoInGraphsOfSeveralParts) {
  for (const graph::EdgeList& list :
       {Graph(2, {}), Graph(7, {{5, 6}, {0, 1}, {1, 2}, {2, 0}, {3, 5}}), Complete(9),
        Ladder(40)}) {
    const Problem problem = Between(list, 0, 1);
    std::vector<std::size_t> all(problem.edges.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const Order order : kAllOrders) {
      EXPECT_EQ(Sorted(OrderEdges(problem, order)), all) << ToString(order);
    }
    // Few steps make the beam narrow, not the order short.
    EXPECT_EQ(Sorted(OrderByElimination(problem, {.beam = 10, .steps = 1})), all);
  }
}

TEST(Order, TheBestIsNotWorseByTheEstimateThanAnyOther) {
  for (const graph::EdgeList& list : {King(5), Hypercube(4), Ladder(30), Complete(8)}) {
    std::mt19937_64 random(1);
    const Problem problem = Relabeled(Corners(list), random);
    const double best = EstimateStates(problem, OrderEdges(problem, Order::kBest));
    for (const Order order : kAllOrders) {
      EXPECT_LE(best, EstimateStates(problem, OrderEdges(problem, order))) << ToString(order);
    }
  }
}

TEST(Order, TheBestOfShuffledGridsHasHardlyMoreStatesThanRowByRow) {
  for (const int cells : {8, 9}) {
    const Problem rows = Corners(Grid(cells));
    std::mt19937_64 random(static_cast<std::uint64_t>(cells));
    const Problem best = Ordered(Relabeled(rows, random), Order::kBest);
    const std::uint64_t by_rows = States(rows), by_best = States(best);
    std::printf("%d cells a side: %ju states row by row, %ju\n", cells,
                static_cast<std::uintmax_t>(by_rows), static_cast<std::uintmax_t>(by_best));
    EXPECT_LE(by_best, by_rows) << cells;
    EXPECT_LE(MakePlan(best).slots, MakePlan(rows).slots + 1) << cells;
  }
}

TEST(Order, TheBestOfShuffledKingsBoardsHasFewerStatesThanRowByRow) {
  for (graph::Vertex side = 6; side <= 7; ++side) {
    const Problem rows = Corners(King(side));
    std::mt19937_64 random(side);
    EXPECT_LT(States(Ordered(Relabeled(rows, random), Order::kBest)), States(rows)) << side;
  }
}

// Too many to count: by the estimate.
TEST(Order, TheBestOfWideShuffledBoardsIsNotWorseThanRowByRow) {
  for (const graph::EdgeList& list : {Grid(12), King(8)}) {
    const Problem rows = Corners(list);
    std::mt19937_64 random(1);
    const Problem shuffled = Relabeled(rows, random);
    EXPECT_LE(EstimateStates(shuffled, OrderEdges(shuffled, Order::kBest)),
              EstimateStates(rows, OrderEdges(rows, Order::kInput)));
  }
}

// Looks at edges, beyond the three orders without a search, are bounded by the estimate.
TEST(Order, TheSearchTakesATenthOfTheCount) {
  for (const graph::EdgeList& list : {Grid(3), Grid(7), Grid(11), King(5), King(8)}) {
    const Problem problem = Corners(list);
    const BestOrder best = FindBestOrder(problem);
    const auto always = static_cast<double>(6 * problem.edges.size());
    EXPECT_GE(best.looks, always);
    // The estimate was higher before.
    EXPECT_LE(best.looks - always, 1.6 * BestOrder::kLooksAState * best.estimated_states);
    EXPECT_EQ(best.estimated_states, EstimateStates(problem, best.edges));
    EXPECT_EQ(best.edges, OrderEdges(problem, Order::kBest)) << "the same on each run";
  }
  EXPECT_GT(FindBestOrder(Corners(Grid(11))).looks, 100'000);
}

TEST(Order, SweepsHoldEachVertexOnce) {
  for (const graph::EdgeList& list : {Graph(7, {{5, 6}, {0, 1}, {1, 2}, {3, 5}}), King(5)}) {
    std::vector<graph::Vertex> all(list.vertices);
    std::iota(all.begin(), all.end(), graph::Vertex{0});
    for (std::vector<graph::Vertex> sweep : Sweeps(Corners(list), 12)) {
      std::sort(sweep.begin(), sweep.end());
      EXPECT_EQ(sweep, all);
    }
  }
}

// A window of none is the order itself.
TEST(Order, AWindowKeepsEliminationNearAnOrder) {
  const Problem problem = Corners(Grid(5));
  std::vector<std::vector<graph::Vertex>> sweeps = Sweeps(problem, 12);
  sweeps.resize(10);
  for (const std::vector<graph::Vertex>& sweep : sweeps) {
    EXPECT_EQ(OrderByElimination(problem, {.near = sweep, .window = 0}),
              EliminateInOrder(problem, sweep));
  }
}

TEST(Order, ALongThinGraphIsOrderedAlongItsLength) {
  std::mt19937_64 random(1);
  const Problem ladder = Relabeled(Corners(Ladder(2000)), random);
  EXPECT_LE(MakePlan(Ordered(ladder, Order::kBest)).slots, 4);
}

// Orders before and after reduction, in graphs of a few parts.
TEST(RandomOrders, OfReducedPartsKeepTheNumberOfPaths) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(600);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::uint64_t parts = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    graph::EdgeList list = Graph(4 + random() % 7, {});
    for (std::uint64_t i = 5 + random() % 15; i > 0; --i) {
      list.edges.push_back({static_cast<graph::Vertex>(random() % list.vertices),
                            static_cast<graph::Vertex>(random() % list.vertices)});
    }
    Problem problem = Between(list, 0, 1);
    for (std::size_t i = 0; i < problem.edges.size(); ++i) {
      problem.weights.push_back(random() % 5);
    }
    const Count expected = CountByTrying(problem);
    for (const Order before : kAllOrders) {
      Reduction reduction = Reduce(Ordered(problem, before));
      for (const Order after : kAllOrders) {
        for (std::size_t part = 0; part < reduction.parts().size(); ++part) {
          reduction.Reorder(part, OrderEdges(reduction.parts()[part], after));
        }
        const auto counted = CountParts(reduction);
        ASSERT_TRUE(counted.ok()) << counted.status();
        ASSERT_EQ(*counted, expected)
            << "seed " << seed << ", " << ToString(before) << ", " << ToString(after);
        parts += reduction.parts().size();
      }
    }
  }
  EXPECT_GT(parts, programs);
}

}  // namespace
}  // namespace simpath
