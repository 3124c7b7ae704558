#include "apps/graph/kronecker.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace graph {
namespace {

std::vector<Edge> Edges(const Kronecker& kronecker, std::uint64_t first, std::size_t count) {
  std::vector<Edge> edges(count);
  Generate(kronecker, first, edges);
  return edges;
}

std::vector<Edge> UnscrambledEdges(const Kronecker& kronecker, std::size_t count) {
  std::vector<Edge> edges(count);
  GenerateUnscrambled(kronecker, 0, edges);
  return edges;
}

// FNV-1a over the bytes of both ends, lowest first.
std::uint64_t HashOf(const std::vector<Edge>& edges) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Edge& edge : edges) {
    for (const Vertex vertex : {edge.from, edge.to}) {
      for (int i = 0; i < 4; ++i) hash = (hash ^ (vertex >> 8 * i & 0xff)) * 0x100000001b3;
    }
  }
  return hash;
}

// The quadrant that was chosen at the level of this bit.
std::size_t QuadrantAt(const Edge& edge, int bit) {
  return (edge.from >> bit & 1) * 2 + (edge.to >> bit & 1);
}

constexpr std::array<double, 4> kProbabilities = {.57, .19, .19, .05};

TEST(Kronecker, AnEdgeDoesNotDependOnTheBlockItIsMadeIn) {
  for (const int scale : {1, 2, 7, 20, 31}) {
    const Kronecker kronecker = {.scale = scale, .seed = 5};
    const std::vector<Edge> whole = Edges(kronecker, 0, 32);
    for (const std::size_t block : {1, 3, 7, 32}) {
      for (std::size_t first = 0; first < whole.size(); first += block) {
        const std::size_t count = std::min(block, whole.size() - first);
        const std::vector<Edge> part = Edges(kronecker, first, count);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(part[i], whole[first + i]) << scale;
      }
    }
  }
}

// Graphs that were measured yesterday are the graphs of tomorrow.
TEST(Kronecker, TheGraphsOfASeedStayTheSame) {
  EXPECT_EQ(HashOf(Edges({.scale = 10, .seed = 1}, 0, 16 << 10)), 11864189451016805432u);
  EXPECT_EQ(HashOf(Edges({.scale = 20, .seed = 2}, 1 << 20, 1 << 16)), 9626004488989334495u);
  EXPECT_EQ(HashOf(Edges({.scale = 31, .seed = 0xdeadbeef}, 1ull << 34, 1 << 16)),
            18100180115577787588u);
}

TEST(Kronecker, EachVertexIsBelowTheirNumber) {
  for (int scale = 1; scale <= 31; ++scale) {
    const Kronecker kronecker = {.scale = scale};
    Vertex all = 0;
    for (const auto [from, to] : Edges(kronecker, 0, 1000)) {
      ASSERT_LT(from, kronecker.vertices());
      ASSERT_LT(to, kronecker.vertices());
      all |= from | to;
    }
    EXPECT_EQ(all, kronecker.vertices() - 1) << "each bit is 1 in some vertex";
  }
}

TEST(Kronecker, QuadrantsAreAsFrequentAtEachLevelAsSpecified) {
  constexpr std::size_t kEdges = 1 << 18;
  for (const int scale : {1, 20, 31}) {
    const std::vector<Edge> edges = UnscrambledEdges({.scale = scale, .seed = 3}, kEdges);
    for (int bit = 0; bit < scale; ++bit) {
      std::array<double, 4> counts = {};
      for (const Edge& edge : edges) counts[QuadrantAt(edge, bit)] += 1;
      double chi_square = 0;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = kProbabilities[i] * kEdges;
        chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
      }
      // Three degrees of freedom: above by chance in one of 50,000 seeds.
      EXPECT_LT(chi_square, 23.5) << "scale " << scale << ", bit " << bit;
    }
  }
}

TEST(Kronecker, TheChoicesOfTwoLevelsAreIndependent) {
  constexpr int kScale = 9;
  constexpr std::size_t kEdges = 1 << 17;
  const std::vector<Edge> edges = UnscrambledEdges({.scale = kScale, .seed = 4}, kEdges);
  for (int one = 0; one < kScale; ++one) {
    for (int other = 0; other < one; ++other) {
      std::array<double, 16> counts = {};
      for (const Edge& edge : edges) {
        counts[QuadrantAt(edge, one) * 4 + QuadrantAt(edge, other)] += 1;
      }
      double chi_square = 0;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = kProbabilities[i / 4] * kProbabilities[i % 4] * kEdges;
        chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
      }
      // Fifteen degrees of freedom: above by chance in one of 50,000 seeds.
      EXPECT_LT(chi_square, 48.5) << "bits " << one << " and " << other;
    }
  }
}

TEST(Kronecker, EdgesThatFollowEachOtherAreIndependent) {
  constexpr std::size_t kEdges = 1 << 18;
  const std::vector<Edge> edges = UnscrambledEdges({.scale = 20, .seed = 6}, kEdges);
  for (int bit = 0; bit < 20; ++bit) {
    std::array<double, 16> counts = {};
    for (std::size_t i = 0; i < kEdges; i += 2) {
      counts[QuadrantAt(edges[i], bit) * 4 + QuadrantAt(edges[i + 1], bit)] += 1;
    }
    double chi_square = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double expected = kProbabilities[i / 4] * kProbabilities[i % 4] * kEdges / 2;
      chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    EXPECT_LT(chi_square, 48.5) << "bit " << bit;
  }
}

TEST(Kronecker, TheLowerHalfOfTheIdsHasAboutHalfOfTheEnds) {
  const Kronecker kronecker = {.scale = 16, .seed = 1};
  const auto share = [&](const std::vector<Edge>& edges) {
    double lower = 0;
    for (const auto [from, to] : edges) {
      lower += (from < kronecker.vertices() / 2) + (to < kronecker.vertices() / 2);
    }
    return lower / 2 / static_cast<double>(edges.size());
  };
  EXPECT_NEAR(share(UnscrambledEdges(kronecker, 1 << 18)), .76, .01) << "A + B";
  EXPECT_NEAR(share(Edges(kronecker, 0, 1 << 18)), .5, .1);
}

TEST(Kronecker, TheInverseOfItsScrambleGivesTheUnscrambledEdges) {
  const Kronecker kronecker = {.scale = 17, .seed = 9};
  const Scramble scramble = ScrambleOf(kronecker);
  const std::vector<Edge> plain = UnscrambledEdges(kronecker, 1000);
  const std::vector<Edge> edges = Edges(kronecker, 0, 1000);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ASSERT_EQ(scramble.Inverse(edges[i].from), plain[i].from);
    ASSERT_EQ(scramble.Inverse(edges[i].to), plain[i].to);
  }
}

TEST(Kronecker, AnotherSeedOrScaleGivesOtherEdges) {
  const std::uint64_t hash = HashOf(Edges({.scale = 8, .seed = 1}, 0, 64));
  EXPECT_NE(hash, HashOf(Edges({.scale = 8, .seed = 2}, 0, 64)));
  EXPECT_NE(hash, HashOf(Edges({.scale = 8, .seed = 1}, 64, 64)));
  const std::vector<Edge> small = UnscrambledEdges({.scale = 8}, 64);
  std::vector<Edge> large = UnscrambledEdges({.scale = 9}, 64);
  for (Edge& edge : large) edge = {edge.from & 255, edge.to & 255};
  EXPECT_NE(HashOf(small), HashOf(large));
}

TEST(Kronecker, AGraphThatVertexIdsCannotNameIsRefused) {
  EXPECT_TRUE(Check({}).ok());
  EXPECT_TRUE(Check({.scale = 1, .edge_factor = 1}).ok());
  EXPECT_TRUE(Check({.scale = 31}).ok());
  EXPECT_EQ(std::string(Check({.scale = 0}).message()), "scale 0: expected 1 to 31");
  EXPECT_EQ(std::string(Check({.scale = 32}).message()), "scale 32: expected 1 to 31");
  EXPECT_EQ(std::string(Check({.edge_factor = 0}).message()),
            "edge factor 0: expected 1 to 1048576");
  EXPECT_FALSE(Check({.edge_factor = (1 << 20) + 1}).ok());
}

}  // namespace
}  // namespace graph
