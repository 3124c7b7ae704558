// Second-order cones that stand in a problem as arrows.
#include "apps/sdpa/reduce/arrows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "apps/sdpa/interior_point/initial_point.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/solve/solve.h"

namespace sdpa {
namespace {

constexpr int kRows = 60;

// min t so that |A x - b| <= t: least squares. The corner is row `corner` of block `block` of two;
// the other one bounds the sum of x, by far.
Problem LeastSquares(int variables, int corner, int block, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Problem problem;
  problem.blocks = {{Shape::kDiagonal, 1}, {Shape::kDiagonal, 1}};
  problem.blocks[static_cast<std::size_t>(block)] = {Shape::kDense, kRows};
  problem.costs.assign(static_cast<std::size_t>(variables) + 1, 0);
  problem.costs[0] = 1;
  std::vector<MatrixBuilder> builders(problem.costs.size() + 1);
  for (int row = 0; row < kRows; ++row) builders[1].Add(block, row, row, 1);
  for (std::size_t i = 0; i < builders.size(); ++i) {
    if (i == 1) continue;
    for (int row = 0; row < kRows; ++row) {
      if (row != corner) builders[i].Add(block, corner, row, normal(random));
    }
    builders[i].Add(1 - block, 0, 0, i == 0 ? -1e3 : -1);
  }
  for (const MatrixBuilder& builder : builders) problem.matrices.push_back(builder.Build());
  return problem;
}

TEST(Arrows, AreFoundByTheRowThatAllElementsShare) {
  for (const int corner : {0, 17, kRows - 1}) {
    const Problem problem = LeastSquares(3, corner, 1, 1);
    const auto arrows = Arrows::Of(problem);
    ASSERT_TRUE(arrows.has_value()) << corner;
    EXPECT_EQ(arrows->parts()[0].corner, -1);
    EXPECT_EQ(arrows->parts()[1].corner, corner);
    EXPECT_EQ(arrows->reduced().blocks.size(), 1u + kRows - 1);
    EXPECT_EQ(arrows->reduced().constraints(), problem.constraints() + kRows - 2);
  }
  Problem other = LeastSquares(3, 5, 0, 1);
  MatrixBuilder apart;
  apart.Add(0, 6, 7, 1);
  other.matrices[2] = apart.Build();
  EXPECT_FALSE(Arrows::Of(other)) << "two rows off the corner's";
  const Problem diagonal = {{{Shape::kDense, kRows}}, {1}, {{}, {{0, {{3, 3, 1}}}}}};
  EXPECT_FALSE(Arrows::Of(diagonal));
  Problem small = LeastSquares(3, 5, 0, 1);
  small.blocks[0].size = 49;
  for (SparseMatrix& matrix : small.matrices) {
    std::erase_if(matrix[0].elements, [](const Element& element) { return element.column >= 49; });
  }
  EXPECT_FALSE(Arrows::Of(small));
}

// Any X and Y that are arrows' come back from their blocks.
TEST(Arrows, APointComesBack) {
  const Problem problem = LeastSquares(2, 4, 1, 3);
  const Arrows arrows = *Arrows::Of(problem);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  SolutionValues whole = {.x = {3, 1, 2},
                          .slack = {{5}, std::vector<double>(kRows * kRows, 0)},
                          .dual = {{6}, std::vector<double>(kRows * kRows, 0)}};
  std::vector<double> first_row(kRows, 0);
  for (double& side : first_row) side = number(random);
  for (std::size_t i = 0; i < kRows; ++i) {
    whole.slack[1][i * kRows + i] = i == 4 ? 100 : 1 + number(random);
    if (i != 4) whole.slack[1][4 * kRows + i] = whole.slack[1][i * kRows + 4] = number(random);
    for (std::size_t j = 0; j < kRows; ++j) {
      const double left = i == 4 ? 2 : first_row[i], right = j == 4 ? 2 : first_row[j];
      whole.dual[1][i * kRows + j] = left * right / 2 + (i == j && i != 4 ? 0.5 : 0);
    }
  }
  const SolutionValues reduced = ReducedValues(arrows, problem, whole);
  const auto layout = std::make_shared<const Layout>(arrows.reduced().blocks);
  const Point<double> back = WholePoint(arrows, problem, PointOf<double>(layout, reduced));
  EXPECT_EQ(back.x, whole.x);
  for (std::size_t i = 0; i < kRows * kRows; ++i) {
    EXPECT_NEAR(back.slack.elements(1)[i], whole.slack[1][i], 1e-12) << i;
    EXPECT_NEAR(back.dual.elements(1)[i], whole.dual[1][i], 1e-12) << i;
  }
  // The variables between blocks are sums, so that the reduced X is what its x gives.
  Point<double> point = PointOf<double>(layout, reduced);
  double corners = 0;
  for (std::size_t block = kRows - 1; block > 1; --block) {
    corners += reduced.slack[block][0];
    EXPECT_NEAR(reduced.x[arrows.parts()[1].links + block - 2], corners, 1e-10) << block;
  }
}

TEST(Arrows, AreSolvedAsTheBlocksThatTheyWere) {
  for (const int corner : {0, 30}) {
    for (const Precision precision : {Precision::kDouble, Precision::kDoubleDouble}) {
      const Problem problem = LeastSquares(4, corner, corner == 0 ? 0 : 1, 5);
      const auto outcome = Solve(problem, {.precision = precision});
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      EXPECT_EQ(outcome->judgement.status, Status::kOptimal);
      // By the normal equations of four variables the residual is at right angles to all columns.
      const std::vector<double>& x = outcome->solution.x;
      std::vector<double> residual(kRows, 0);
      for (std::size_t i = 0; i < problem.matrices.size(); ++i) {
        if (i == 1) continue;
        for (const auto& [block, elements] : problem.matrices[i]) {
          for (const auto& [row, column, value] : elements) {
            if (row == column) continue;
            const int other = row == corner ? column : row;
            residual[static_cast<std::size_t>(other)] += (i == 0 ? -1 : x[i - 1]) * value;
          }
        }
      }
      double squares = 0;
      for (const double one : residual) squares += one * one;
      EXPECT_NEAR(outcome->judgement.certificate.primal, std::sqrt(squares), 1e-5);
      for (std::size_t i = 2; i < problem.matrices.size(); ++i) {
        double product = 0;
        for (const auto& [block, elements] : problem.matrices[i]) {
          for (const auto& [row, column, value] : elements) {
            if (row == column) continue;
            product += value * residual[static_cast<std::size_t>(row == corner ? column : row)];
          }
        }
        EXPECT_NEAR(product / std::sqrt(squares), 0, 1e-3) << i;
      }
      EXPECT_LE(outcome->iterations.size(), precision == Precision::kDouble ? 20u : 40u);
    }
  }
}

// t <= 1 and |A x - b| <= t where the least is more.
TEST(Arrows, AProofThatThereIsNoSolutionComesBack) {
  Problem problem = LeastSquares(4, 2, 0, 9);
  problem.blocks.push_back({Shape::kDiagonal, 1});
  problem.matrices[1].push_back({2, {{0, 0, -1}}});
  problem.matrices[0].push_back({2, {{0, 0, -1}}});
  const auto outcome = Solve(problem);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->judgement.status, Status::kPrimalInfeasible);
}

}  // namespace
}  // namespace sdpa
