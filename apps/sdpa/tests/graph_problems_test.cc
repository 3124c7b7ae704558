#include "apps/sdpa/generate/graph_problems.h"

#include <gtest/gtest.h>

#include "apps/graph/edge_list.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {
namespace {

graph::EdgeList Ring(graph::Vertex vertices) {
  graph::EdgeList ring = {.vertices = vertices, .edges = {}, .terminals = {}, .max_length = {}};
  for (graph::Vertex i = 0; i < vertices; ++i) ring.edges.push_back({i, (i + 1) % vertices});
  return ring;
}

TEST(Theta, HasAConstraintForTheTraceAndOneForEachEdge) {
  graph::EdgeList graph = Ring(3);
  graph.edges.push_back({1, 0});
  graph.edges.push_back({2, 2});
  EXPECT_EQ(ToText(Format::kSparse, Theta(graph)),
            "4\n1\n3\n1 0 0 0\n"
            "0 1 1 1 1\n0 1 1 2 1\n0 1 1 3 1\n0 1 2 2 1\n0 1 2 3 1\n0 1 3 3 1\n"
            "1 1 1 1 1\n1 1 2 2 1\n1 1 3 3 1\n"
            "2 1 1 2 1\n3 1 1 3 1\n4 1 2 3 1\n");
}

// As a file's block of one row is.
TEST(Graphs, OfOneVertexHaveADiagonalBlock) {
  const graph::EdgeList graph = {
      .vertices = 1, .edges = {{0, 0}}, .terminals = {}, .max_length = {}};
  for (const Problem& problem : {Theta(graph), MaxCut(graph), BorderedTheta(graph)}) {
    const auto again = Parse(Format::kSparse, "f", ToText(Format::kSparse, problem));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, problem);
  }
}

TEST(MaxCut, OfWeightsHasTheirLaplacian) {
  EXPECT_EQ(
      ToText(Format::kSparse,
             MaxCut({.vertices = 2, .edges = {{0, 1}}, .terminals = {}, .max_length = {}}, {-6})),
      "2\n1\n2\n1 1\n0 1 1 1 -1.5\n0 1 1 2 1.5\n0 1 2 2 -1.5\n1 1 1 1 1\n2 1 2 2 1\n");
}

TEST(MaxCut, HasAFourthOfTheLaplacianAndOnesOnTheDiagonal) {
  graph::EdgeList graph = Ring(3);
  graph.edges.push_back({1, 0});
  EXPECT_EQ(ToText(Format::kSparse, MaxCut(graph)),
            "3\n1\n3\n1 1 1\n"
            "0 1 1 1 0.75\n0 1 1 2 -0.5\n0 1 1 3 -0.25\n0 1 2 2 0.75\n0 1 2 3 -0.25\n0 1 3 3 0.5\n"
            "1 1 1 1 1\n2 1 2 2 1\n3 1 3 3 1\n");
}

}  // namespace
}  // namespace sdpa
