// Against check sums of the reference code: its make_graph and make_random_numbers (repository
// github.com/graph500/graph500, commit f89d643ce4aaae9a823d310c6ab2dd10e3d2982c, folder generator),
// compiled by gcc 12.2 without MPI. A sum is FNV-1a over the four bytes of both ends of each edge,
// or of each root, lowest byte first.
#include "apps/graph/graph500_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace graph {
namespace {

std::vector<Edge> Edges(const Graph500& graph, std::uint64_t first, std::uint64_t count) {
  std::vector<Edge> edges(count);
  Generate(graph, first, edges);
  return edges;
}

std::vector<Edge> AllEdges(const Graph500& graph) { return Edges(graph, 0, graph.edges()); }

std::uint64_t SumOf(const std::vector<Vertex>& vertices) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const Vertex vertex : vertices) {
    for (int i = 0; i < 4; ++i) sum = (sum ^ (vertex >> 8 * i & 0xff)) * 0x100000001b3;
  }
  return sum;
}

std::uint64_t SumOf(const std::vector<Edge>& edges) {
  std::vector<Vertex> ends;
  for (const Edge& edge : edges) ends.insert(ends.end(), {edge.from, edge.to});
  return SumOf(ends);
}

std::vector<Vertex> Roots(const Graph500& graph, int count) {
  std::vector<bool> has_edges(graph.vertices());
  for (const auto& [from, to] : AllEdges(graph)) {
    if (from != to) has_edges[from] = has_edges[to] = true;
  }
  return RootsOf(graph, count, [&](Vertex vertex) { return has_edges[vertex]; });
}

TEST(Graph500, EdgesAreThoseOfTheReferenceCode) {
  const std::vector<Edge> edges = AllEdges({.scale = 10});
  EXPECT_EQ(edges[0], (Edge{299, 797}));
  EXPECT_EQ(edges[1], (Edge{684, 861}));
  EXPECT_EQ(edges[2], (Edge{185, 385}));
  EXPECT_EQ(SumOf(edges), 4423195956852291857u);
  EXPECT_EQ(SumOf(AllEdges({.scale = 14})), 3087030117052884037u);
}

TEST(Graph500, EdgesOfOtherSeedsAreThoseOfTheReferenceCode) {
  EXPECT_EQ(SumOf(AllEdges({.scale = 10, .seed1 = 1, .seed2 = 1})), 17338907592752166321u);
  EXPECT_EQ(SumOf(AllEdges({.scale = 7,
                            .edge_factor = 5,
                            .seed1 = 81985529216486895u,
                            .seed2 = 18446744073709551615u})),
            14509156791432144175u);
}

TEST(Graph500, RootsAreThoseOfTheReferenceCode) {
  const std::vector<Vertex> roots = Roots({.scale = 10}, 64);
  ASSERT_EQ(roots.size(), 64u);
  EXPECT_EQ(roots[0], 458u);
  EXPECT_EQ(roots[63], 149u);
  EXPECT_EQ(SumOf(roots), 14849952440054894856u);
  EXPECT_EQ(SumOf(Roots({.scale = 14}, 64)), 12826068568380328838u);
  EXPECT_EQ(SumOf(Roots({.scale = 10, .seed1 = 1, .seed2 = 1}, 64)), 12808304390354737196u);
}

TEST(Graph500, AFewRootsAreTheFirstOnesAndTooManyAreDifferentOnes) {
  std::vector<Vertex> all = Roots({.scale = 10}, 64);
  all.resize(5);
  EXPECT_EQ(Roots({.scale = 10}, 5), all);
  std::vector<Vertex> few = Roots({.scale = 5}, 64);
  EXPECT_LT(few.size(), 33u);
  EXPECT_GT(few.size(), 5u);
  std::sort(few.begin(), few.end());
  EXPECT_EQ(std::adjacent_find(few.begin(), few.end()), few.end());
}

TEST(Graph500, AnEdgeDoesNotDependOnTheBlockItIsMadeIn) {
  for (const int scale : {1, 7, 20, 31}) {
    const Graph500 graph = {.scale = scale, .seed1 = 5};
    const std::uint64_t begin = graph.edges() - 32;
    const std::vector<Edge> whole = Edges(graph, begin, 32);
    for (const std::uint64_t block : {1, 3, 7}) {
      for (std::uint64_t first = 0; first < 32; first += block) {
        const std::vector<Edge> part =
            Edges(graph, begin + first, std::min<std::uint64_t>(block, 32 - first));
        EXPECT_TRUE(std::equal(part.begin(), part.end(),
                               whole.begin() + static_cast<std::ptrdiff_t>(first)))
            << "scale " << scale << ", from " << first;
      }
    }
  }
}

TEST(Graph500, AGraphThatVertexIdsCannotNameIsRefused) {
  EXPECT_TRUE(Check(Graph500{}).ok());
  EXPECT_EQ(std::string(Check(Graph500{.scale = 32}).message()), "scale 32: expected 1 to 31");
  EXPECT_FALSE(Check(Graph500{.edge_factor = 0}).ok());
}

}  // namespace
}  // namespace graph
