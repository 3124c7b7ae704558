#include "apps/bfs/problem/neighbors.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <utility>

#include "apps/bfs/tests/random_graphs.h"
#include "tools/random/seeds.h"

namespace bfs {
namespace {

TEST(NeighborsByArcs, AreThoseOfSets) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(200);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    graph::EdgeList list = RandomGraph(random);
    list.direction = graph::Direction::kDirected;
    graph::EdgeList reversed = list;
    for (auto& [from, to] : reversed.edges) std::swap(from, to);
    const Neighbors neighbors = NeighborsByArcs(list);
    ASSERT_EQ(neighbors.out(), RowsToFollow(list)) << "seed " << seed;
    ASSERT_EQ(neighbors.in(), RowsToFollow(reversed)) << "seed " << seed;
  }
}

TEST(NeighborsByEdges, LeadBothWaysAndAreKeptOnce) {
  const Neighbors neighbors = NeighborsByEdges({.vertices = 3,
                                                .direction = graph::Direction::kDirected,
                                                .edges = {{0, 1}, {1, 2}},
                                                .terminals = {},
                                                .max_length = {}});
  EXPECT_EQ(&neighbors.out(), &neighbors.in());
  EXPECT_EQ(neighbors.out().degree(1), 2u);
  EXPECT_EQ(neighbors.bytes(), 4 * 8 + 4 * 4);
}

}  // namespace
}  // namespace bfs
