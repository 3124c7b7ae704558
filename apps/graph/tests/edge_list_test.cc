#include "apps/graph/edge_list.h"

#include <gtest/gtest.h>

namespace graph {
namespace {

TEST(EdgeList, AnEdgeWithoutADirectionRepeatsTheOneTheOtherWayRound) {
  EdgeList list = {.vertices = 4, .edges = {{0, 1}, {1, 0}, {2, 2}, {0, 1}, {2, 2}, {3, 1}}};
  EXPECT_EQ(CountEdges(list), (EdgeCounts{.self_loops = 2, .repeated = 2}));
  list.direction = Direction::kDirected;
  EXPECT_EQ(CountEdges(list), (EdgeCounts{.self_loops = 2, .repeated = 1}));
  EXPECT_EQ(CountEdges({}), EdgeCounts{});
}

}  // namespace
}  // namespace graph
