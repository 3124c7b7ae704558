#include "apps/sdpa/solver/interior_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "apps/graph/edge_list.h"
#include "apps/sdpa/certify.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/generate/graph_problems.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

graph::EdgeList Graph(std::uint64_t vertices) {
  return {.vertices = vertices, .edges = {}, .terminals = {}, .max_length = {}};
}

graph::EdgeList Ring(graph::Vertex vertices) {
  graph::EdgeList ring = Graph(vertices);
  for (graph::Vertex i = 0; i < vertices; ++i) ring.edges.push_back({i, (i + 1) % vertices});
  return ring;
}

// The subsets of k of n things, joined where they have nothing in common.
graph::EdgeList Kneser(int n, int k) {
  std::vector<unsigned> subsets;
  for (unsigned set = 0; set < 1u << n; ++set) {
    if (__builtin_popcount(set) == k) subsets.push_back(set);
  }
  graph::EdgeList kneser = Graph(subsets.size());
  for (graph::Vertex i = 0; i < subsets.size(); ++i) {
    for (graph::Vertex j = i + 1; j < subsets.size(); ++j) {
      if ((subsets[i] & subsets[j]) == 0) kneser.edges.push_back({i, j});
    }
  }
  return kneser;
}

double ValueOf(const Problem& problem) {
  const auto solution = Solve(problem);
  EXPECT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->phase, Phase::kOptimal)
      << solution->iterations << " iterations, gap " << solution->quality.gap;
  EXPECT_NEAR(solution->quality.primal, solution->quality.dual,
              1e-6 * (1 + std::abs(solution->quality.primal)));
  EXPECT_LT(Certify(problem, ValuesOf(solution->point)).largest_error(), 1e-6);
  return solution->quality.primal;
}

// SDPA's manual has -41.9.
TEST(InteriorPoint, SolvesTheManualsExample) {
  const auto problem = Parse(Format::kSparse, "f",
                             "3\n1\n2\n48 -8 20\n0 1 1 1 -11\n0 1 2 2 23\n1 1 1 1 10\n1 1 1 2 4\n"
                             "2 1 2 2 -8\n3 1 1 2 -8\n3 1 2 2 -2\n");
  ASSERT_TRUE(problem.ok());
  EXPECT_NEAR(ValueOf(*problem), -41.9, 1e-5);
}

// L. Lovász, On the Shannon capacity of a graph, 1979: of an odd ring n cos(pi/n) / (1 +
// cos(pi/n)), of Kneser's graphs the subsets of n - 1 things, one less chosen.
TEST(InteriorPoint, FindsThetaOfRingsAndKnesersGraphs) {
  EXPECT_NEAR(ValueOf(Theta(Ring(5))), std::sqrt(5.0), 1e-6);
  const double cosine = std::cos(std::numbers::pi / 9);
  EXPECT_NEAR(ValueOf(Theta(Ring(9))), 9 * cosine / (1 + cosine), 1e-6);
  EXPECT_NEAR(ValueOf(Theta(Kneser(5, 2))), 4, 1e-6) << "Petersen's graph";
  EXPECT_NEAR(ValueOf(Theta(Kneser(6, 2))), 5, 1e-6);
}

// C. Delorme and S. Poljak, 1993: of a ring n/4 (2 + 2 cos(pi/n)) where n is odd; of a bipartite
// graph all edges.
TEST(InteriorPoint, FindsTheRelaxationOfLargestCuts) {
  const double cosine = std::cos(std::numbers::pi / 5);
  EXPECT_NEAR(ValueOf(MaxCut(Ring(5))), 5.0 / 2 * (1 + cosine), 1e-5);
  EXPECT_NEAR(ValueOf(MaxCut(Ring(8))), 8, 1e-5);
}

// Problems made of a solution: X and Y of complementary ranges, some rows of each.
TEST(InteriorPoint, FindsTheValueOfRandomProblemsThatWereMadeOfTheirSolution) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(60);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::uint64_t solved = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> value;
    std::uniform_real_distribution<double> positive(0.5, 2);
    Problem problem;
    for (std::uint64_t i = 1 + random() % 3; i > 0; --i) {
      const int size = 1 + static_cast<int>(random() % 5);
      problem.blocks.push_back(
          {size > 1 && random() % 3 != 0 ? Shape::kDense : Shape::kDiagonal, size});
    }
    const auto layout = std::make_shared<const Layout>(problem.blocks);
    BlockMatrix<double> slack(layout), dual(layout);
    for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
      const auto size = static_cast<std::size_t>(problem.blocks[l].size);
      const std::size_t stride = problem.blocks[l].shape == Shape::kDense ? size + 1 : 1;
      for (std::size_t i = 0; i < size; ++i) {
        (random() % 2 == 0 ? slack : dual).elements(l)[i * stride] = positive(random);
      }
    }
    // F_1 to F_m at random; F_0 and c so that x, X and Y solve it.
    const std::size_t m = 1 + random() % 4;
    problem.matrices.resize(m + 1);
    BlockMatrix<double> f_0(layout);
    double expected = 0;
    for (std::size_t i = 1; i <= m; ++i) {
      for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
        std::vector<Element> elements;
        const int size = problem.blocks[l].size;
        for (int row = 0; row < size; ++row) {
          const int last = problem.blocks[l].shape == Shape::kDense ? size : row + 1;
          for (int column = row; column < last; ++column) {
            elements.push_back({row, column, value(random)});
          }
        }
        problem.matrices[i].push_back({static_cast<int>(l), elements});
      }
      const double x = value(random);
      f_0.Add(x, problem.matrices[i]);
      problem.costs.push_back(Dot(problem.matrices[i], dual));
      expected += x * problem.costs.back();
    }
    f_0.Add(-1, slack);
    for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
      std::vector<Element> elements;
      const int size = problem.blocks[l].size;
      for (int row = 0; row < size; ++row) {
        const bool is_dense = problem.blocks[l].shape == Shape::kDense;
        for (int column = row; column < (is_dense ? size : row + 1); ++column) {
          elements.push_back(
              {row, column,
               f_0.elements(l)[static_cast<std::size_t>(is_dense ? row * size + column : row)]});
        }
      }
      problem.matrices[0].push_back({static_cast<int>(l), elements});
    }
    const auto solution = Solve(problem);
    ASSERT_TRUE(solution.ok());
    // Neither side need have a point inside the cone, and then no method is sure to come to the
    // end.
    if (solution->phase != Phase::kOptimal) continue;
    ++solved;
    EXPECT_NEAR(solution->quality.primal, expected, 1e-5 * (1 + std::abs(expected)))
        << "seed " << seed;
  }
  std::printf("%ju of %ju solved\n", static_cast<std::uintmax_t>(solved),
              static_cast<std::uintmax_t>(programs));
  EXPECT_GT(solved * 4, programs * 3);
}

}  // namespace
}  // namespace sdpa
