// The hub graph against the serial rows, for graphs and machines at random.
#include "apps/bfs/hubs/hub_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
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

using Rows = std::vector<std::vector<Vertex>>;

graph::EdgeList Reversed(graph::EdgeList list) {
  for (auto& [from, to] : list.edges) std::swap(from, to);
  return list;
}

// For each rank the ranks of its heads, ascending.
Rows RowsOf(const HubGraph& graph, const graph::EdgeList& list) {
  const graph::Csr csr = RowsToFollow(list);
  Rows rows(list.vertices);
  for (Vertex original = 0; original < list.vertices; ++original) {
    std::vector<Vertex>& row = rows[graph.rank(original)];
    for (const Vertex neighbor : csr.of(original)) row.push_back(graph.rank(neighbor));
    std::sort(row.begin(), row.end());
  }
  return rows;
}

std::vector<Vertex> InCore(const HubGraph& graph, std::vector<Vertex> ranks) {
  std::erase_if(ranks, [&](Vertex rank) { return rank >= graph.core(); });
  return ranks;
}

TEST(HubGraph, HasTheNeighborsOfTheSerialRowsOnAnyMachine) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(100);
  std::uint64_t leaves = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const graph::EdgeList list = RandomlyDirected(RandomGraph(random), random);
    const auto [machine, mapping] = RandomMachine(random);
    const auto graph = HubGraph::Build(machine, mapping, Tuples::Listed("random", list));
    ASSERT_TRUE(graph.ok()) << graph.status();
    ExpectRanks(*graph, list);
    const Rows out = RowsOf(*graph, list), in = RowsOf(*graph, Reversed(list));
    for (Vertex rank = 0; rank < graph->active(); ++rank) {
      EXPECT_EQ(graph->leads_on(graph->original(rank)), !out[rank].empty());
      if (rank >= graph->core()) {
        ++leaves;
        const std::vector itself = {rank};
        EXPECT_EQ(std::vector{graph->leaf_parents()[rank - graph->core()]},
                  in[rank].empty() ? itself : in[rank]);
        EXPECT_EQ(std::vector{graph->leaf_children()[rank - graph->core()]},
                  out[rank].empty() ? itself : out[rank]);
        continue;
      }
      const int node = graph->node_of(rank);
      const std::uint64_t place = graph->local(rank);
      ASSERT_EQ(graph->rank_at(node, place), rank);
      const std::vector<Vertex> expected = InCore(*graph, in[rank]);
      const auto backward = graph->backward(node).of(place);
      EXPECT_EQ(std::vector(backward.begin(), backward.end()), expected);
      EXPECT_EQ(graph->in_degree(rank), expected.size());
      EXPECT_EQ(graph->first_neighbors(node)[place], expected.empty() ? rank : expected.front());
      std::vector<Vertex> forward;
      for (int other = 0; other < graph->nodes(); ++other) {
        const auto some = graph->forward(other).of(rank);
        EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
        for (const Vertex neighbor : some) {
          EXPECT_EQ(graph->node_of(neighbor), other);
          forward.push_back(neighbor);
        }
      }
      std::sort(forward.begin(), forward.end());
      EXPECT_EQ(forward, InCore(*graph, out[rank]));
      EXPECT_EQ(graph->out_degree(rank), forward.size());
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(leaves, 0u);
}

}  // namespace
}  // namespace bfs
