// Theta and max-cut by name, with values of the literature.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

#include "apps/graph/count_edges.h"
#include "apps/graph/edge_list.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/generate/graphs.h"
#include "apps/sdpa/interior_point/interior_point.h"

namespace sdpa {
namespace {

double ValueOf(const std::string& text) {
  const auto generated = Generate(text);
  EXPECT_TRUE(generated.ok()) << generated.status();
  if (!generated.ok()) return NAN;
  const auto solution = Solve(generated->problem);
  EXPECT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->phase, Phase::kOptimal) << text;
  if (generated->value) {
    EXPECT_NEAR(solution->quality.primal, *generated->value, 1e-5) << text;
  }
  return solution->quality.primal;
}

// L. Lovász, 1979; of the Hamming graphs by the eigenvalues of Krawtchouk's polynomials, as in the
// table of A. Schrijver, A comparison of the Delsarte and Lovász bounds, 1979.
TEST(Theta, IsTheLiteraturesOfNamedGraphs) {
  EXPECT_NEAR(ValueOf("theta:cycle"), std::sqrt(5.0), 1e-5);
  EXPECT_NEAR(ValueOf("theta:cycle,n=8"), 4, 1e-5);
  EXPECT_NEAR(ValueOf("theta:petersen"), 4, 1e-5);
  EXPECT_NEAR(ValueOf("theta:kneser,n=6,k=2"), 5, 1e-5);
  EXPECT_NEAR(ValueOf("theta:kneser,n=4"), 1, 1e-5) << "the complete graph";
  EXPECT_NEAR(ValueOf("theta:hamming,length=4,distance=3"), 8, 1e-5);
  EXPECT_NEAR(ValueOf("theta:hamming,length=2,letters=3"), 3, 1e-5);
  EXPECT_NEAR(ValueOf("theta:hamming,length=3,distance=1+2+3"), 1, 1e-5);
}

// The DIMACS challenge has 224 of hamming_9_8, 102.4 of hamming_10_2 and 170 2/3 of hamming_11_2.
TEST(Theta, OfHammingGraphsIsTheDimacsChallenges) {
  EXPECT_DOUBLE_EQ(ThetaOfHamming(9, 2, 8), 224);
  EXPECT_DOUBLE_EQ(ThetaOfHamming(10, 2, 2), 102.4);
  EXPECT_DOUBLE_EQ(ThetaOfHamming(11, 2, 2), 512.0 / 3);
}

TEST(Theta, IsTheSameWithABorder) {
  for (const std::string graph :
       {"cycle,n=7", "petersen", "hamming,length=3,distance=2", "torus,n=16,columns=4"}) {
    EXPECT_NEAR(ValueOf("theta:" + graph), ValueOf("bordered-theta:" + graph), 1e-5) << graph;
  }
  EXPECT_NEAR(ValueOf("theta:n=12,m=25,seed=3"), ValueOf("bordered-theta:n=12,m=37,seed=3"), 1e-5);
}

// C. Delorme and S. Poljak, 1993: of a ring n/4 (2 + 2 cos(pi/n)) where n is odd.
TEST(MaxCut, IsAllEdgesOfABipartiteGraphAndTheLiteraturesOfARing) {
  EXPECT_NEAR(ValueOf("max-cut:cycle,n=8"), 8, 1e-5);
  EXPECT_NEAR(ValueOf("max-cut:cycle,n=5"), 2.5 * (1 + std::cos(std::acos(-1) / 5)), 1e-5);
  EXPECT_NEAR(ValueOf("max-cut:torus,n=16,columns=4,weights=ones"), 32, 1e-5);
  EXPECT_EQ(Generate("max-cut:torus,n=16,columns=4")->value, std::nullopt);
  EXPECT_EQ(Generate("max-cut:cycle,n=8,weights=signs")->value, std::nullopt);
}

TEST(RandomGraph, HasTheWantedEdgesEachOnce) {
  for (const int edges : {0, 1, 17, 44, 45}) {
    const graph::EdgeList list = RandomGraph(10, edges, 1);
    EXPECT_EQ(list.edges.size(), static_cast<std::size_t>(edges));
    EXPECT_EQ(graph::CountEdges(list), graph::EdgeCounts());
  }
  EXPECT_EQ(RandomGraph(10, 20, 5), RandomGraph(10, 20, 5));
  EXPECT_NE(RandomGraph(10, 20, 5), RandomGraph(10, 20, 6));
}

}  // namespace
}  // namespace sdpa
