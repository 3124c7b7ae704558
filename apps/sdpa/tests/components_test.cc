#include "apps/sdpa/reduce/components.h"

#include <gtest/gtest.h>

#include <optional>

#include "apps/sdpa/interior_point/interior_point.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/reduce/solve_reduced.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

// Five rows: 0 and 3 are joined by F_0, 3 and 4 by F_1, and 1 and 2 stand alone.
const Problem kProblem = {
    .blocks = {{Shape::kDiagonal, 2}, {Shape::kDense, 5}},
    .costs = {1, 2},
    .matrices = {{{1, {{0, 3, 0.5}, {1, 1, 1}}}},
                 {{0, {{0, 0, 1}}}, {1, {{0, 0, 1}, {1, 1, 1}, {3, 3, 1}, {3, 4, 0.25}}}},
                 {{0, {{1, 1, 1}}}, {1, {{0, 0, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}}}}}};

TEST(Components, AreBlocksAndSingleRowsAreADiagonal) {
  const auto components = Components::Of(kProblem);
  ASSERT_TRUE(components.has_value());
  const Problem expected = {
      .blocks = {{Shape::kDiagonal, 2}, {Shape::kDense, 3}, {Shape::kDiagonal, 2}},
      .costs = {1, 2},
      .matrices = {{{1, {{0, 1, 0.5}}}, {2, {{0, 0, 1}}}},
                   {{0, {{0, 0, 1}}}, {1, {{0, 0, 1}, {1, 1, 1}, {1, 2, 0.25}}}, {2, {{0, 0, 1}}}},
                   {{0, {{1, 1, 1}}}, {1, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}}, {2, {{1, 1, 1}}}}}};
  EXPECT_EQ(components->split(), expected);
}

TEST(Components, AConnectedProblemHasNone) {
  Problem problem = kProblem;
  problem.matrices[2][1].elements = {{0, 1, 1}, {1, 2, 1}};
  EXPECT_FALSE(Components::Of(problem).has_value());
}

TEST(Components, PointsComeBackAsTheyWere) {
  const auto components = Components::Of(kProblem);
  SolutionValues whole = {.x = {1, 2}, .slack = {{1, 2}, std::vector<double>(25, 0)}, .dual = {}};
  double next = 3;
  for (const int row : {0, 3, 4}) {
    for (const int column : {0, 3, 4}) {
      whole.slack[1][static_cast<std::size_t>(5 * row + column)] = next++;
    }
  }
  whole.slack[1][6] = -1, whole.slack[1][12] = -2;
  whole.dual = whole.slack;
  const SolutionValues split = components->Split(whole);
  EXPECT_EQ(split.slack[1], (std::vector<double>{3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(split.slack[2], (std::vector<double>{-1, -2}));
  EXPECT_EQ(components->Whole(split), whole);
}

TEST(Components, TheSolutionIsThatOfTheWholeBlocks) {
  Problem problem = kProblem;
  problem.matrices[1][1].elements.push_back({4, 4, 1});
  const auto by_blocks = Solve(problem, {}, 2);
  ASSERT_TRUE(by_blocks.ok());
  auto runtime = taskrt::Runtime::Create({});
  ASSERT_TRUE(runtime.ok());
  const auto by_components = (*runtime)->Run(
      [&](taskrt::Runtime& rt) { return SolveReduced<double>(rt, problem, {.reduces = false}); });
  ASSERT_TRUE(by_components.ok());
  EXPECT_EQ(by_components->phase, Phase::kOptimal);
  ASSERT_TRUE(by_blocks.ok());
  EXPECT_NEAR(by_components->quality.primal, by_blocks->quality.primal, 1e-6);
  EXPECT_EQ(by_components->point.slack.layout().blocks, problem.blocks);
  BlockMatrix<double> difference = by_components->point.slack;
  EXPECT_EQ(difference.elements(1)[1], 0);
  EXPECT_NEAR(difference.elements(1)[6], by_blocks->point.slack.elements(1)[6], 1e-5);
  EXPECT_NEAR(difference.elements(1)[3], by_blocks->point.slack.elements(1)[3], 1e-5);
}

}  // namespace
}  // namespace sdpa
