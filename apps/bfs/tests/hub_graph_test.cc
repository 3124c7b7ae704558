// The hub graph against the serial rows, for graphs and machines at random.
#include "apps/bfs/hub_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "apps/bfs/tests/random_graphs.h"
#include "apps/graph/csr.h"
#include "tools/random/seeds.h"

namespace bfs {
namespace {

using graph::Vertex;

// How many edges a vertex has, repeated ones counted and self-loops not.
std::vector<std::uint32_t> DegreesOf(const graph::EdgeList& list) {
  std::vector<std::uint32_t> degrees(list.vertices, 0);
  for (const auto& [from, to] : list.edges) {
    if (from == to) continue;
    ++degrees[from];
    ++degrees[to];
  }
  return degrees;
}

void ExpectRanks(const HubGraph& graph, const graph::EdgeList& list) {
  const std::vector<std::uint32_t> degrees = DegreesOf(list);
  for (Vertex rank = 0; rank < graph.active(); ++rank) {
    const Vertex original = graph.original(rank);
    EXPECT_EQ(graph.rank(original), rank);
    EXPECT_GT(degrees[original], 0u);
    if (rank > 0) {
      EXPECT_GE(degrees[graph.original(rank - 1)], degrees[original]);
    }
    if (rank >= graph.core()) {
      EXPECT_EQ(degrees[original], 1u);
    }
  }
  EXPECT_EQ(graph.active(), list.vertices - static_cast<std::uint64_t>(
                                                std::count(degrees.begin(), degrees.end(), 0u)));
}

TEST(HubGraph, HasTheNeighborsOfTheSerialRowsOnAnyMachine) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(100);
  std::uint64_t leaves = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const graph::EdgeList list = RandomGraph(random);
    const graph::Csr csr = graph::BuildCsr(list);
    const auto [machine, mapping] = RandomMachine(random);
    const auto graph = HubGraph::Build(machine, mapping, Tuples::Listed("random", list));
    ASSERT_TRUE(graph.ok()) << graph.status();
    ExpectRanks(*graph, list);
    for (Vertex rank = 0; rank < graph->active(); ++rank) {
      std::vector<Vertex> expected;
      for (const Vertex neighbor : csr.of(graph->original(rank))) {
        expected.push_back(graph->rank(neighbor));
      }
      std::sort(expected.begin(), expected.end());
      if (rank >= graph->core()) {
        ++leaves;
        EXPECT_EQ(std::vector{graph->leaf_neighbors()[rank - graph->core()]}, expected);
        continue;
      }
      std::erase_if(expected, [&](Vertex neighbor) { return neighbor >= graph->core(); });
      const int node = graph->node_of(rank);
      const std::uint64_t place = graph->local(rank);
      ASSERT_EQ(graph->rank_at(node, place), rank);
      const auto backward = graph->backward(node).of(place);
      EXPECT_EQ(std::vector(backward.begin(), backward.end()), expected);
      EXPECT_EQ(graph->first_neighbors(node)[place], expected.empty() ? rank : expected.front());
      std::vector<Vertex> forward;
      for (int other = 0; other < graph->nodes(); ++other) {
        for (const Vertex neighbor : graph->forward(other).of(rank)) {
          EXPECT_EQ(graph->node_of(neighbor), other);
          forward.push_back(neighbor);
        }
      }
      std::sort(forward.begin(), forward.end());
      EXPECT_EQ(forward, expected);
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(leaves, 0u);
}

}  // namespace
}  // namespace bfs
