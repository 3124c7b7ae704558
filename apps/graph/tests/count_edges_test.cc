#include "apps/graph/count_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace graph {
namespace {

TEST(EdgeList, AnEdgeWithoutADirectionRepeatsTheOneTheOtherWayRound) {
  EdgeList list = {.vertices = 4, .edges = {{0, 1}, {1, 0}, {2, 2}, {0, 1}, {2, 2}, {3, 1}}};
  EXPECT_EQ(CountEdges(list), (EdgeCounts{.self_loops = 2, .repeated = 2}));
  list.direction = Direction::kDirected;
  EXPECT_EQ(CountEdges(list), (EdgeCounts{.self_loops = 2, .repeated = 1}));
  EXPECT_EQ(CountEdges({}), EdgeCounts{});
}

// A list of few vertices is counted by rows, one of many by pairs.
TEST(EdgeList, RepeatedEdgesAreCountedByAnyNumberOfThreads) {
  std::mt19937_64 random(1);
  EdgeList list = {.vertices = 50, .edges = {}};
  std::set<std::pair<Vertex, Vertex>> distinct;
  EdgeCounts counts;
  for (int i = 0; i < 1000; ++i) {
    const auto from = static_cast<Vertex>(random() % 50), to = static_cast<Vertex>(random() % 50);
    list.edges.push_back({from, to});
    if (from == to) {
      ++counts.self_loops;
    } else if (!distinct.insert(std::minmax(from, to)).second) {
      ++counts.repeated;
    }
  }
  for (const int threads : {1, 2, 7}) EXPECT_EQ(CountEdges(list, threads), counts) << threads;
  list.vertices = 1'000'000;
  EXPECT_EQ(CountEdges(list), counts);
}

}  // namespace
}  // namespace graph
