// Problems made of their solution or of their certificate, and what transforms keep: checked by
// plain sums, which nothing else uses.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/generate/transform.h"
#include "apps/sdpa/interior_point/interior_point.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/certify.h"
#include "apps/sdpa/proof/infeasibility.h"
#include "apps/sdpa/proof/positive.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

Generated Made(const std::string& text) {
  auto generated = Generate(text);
  EXPECT_TRUE(generated.ok()) << generated.status();
  return generated.ok() ? *std::move(generated) : Generated();
}

SolutionValues SolutionOf(const Problem& problem) {
  const auto solution = Solve(problem);
  EXPECT_TRUE(solution.ok());
  EXPECT_EQ(solution->phase, Phase::kOptimal);
  return ValuesOf(solution->point);
}

TEST(Complementary, ProblemsHaveTheSolutionThatTheyWereMadeOf) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(40);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    for (const std::string sizes :
         {"blocks=6+d4+2x3+1,m=8,empty=1", "blocks=d7,m=3",
          "blocks=7,m=15,kind=rank-one,elements=3", "blocks=3x6+d2,m=10,touched=2"}) {
      const std::string text = "random:" + sizes + ",seed=" + std::to_string(seed % 2147483647);
      const Generated made = Made(text);
      // Sums of few multiples of 1/64^2: exact.
      const Certificate known = Certify(made.problem, *made.known);
      EXPECT_EQ(known.primal, *made.value) << text;
      EXPECT_EQ(known.dual, *made.value) << text;
      for (const int error : {0, 2, 4, 5})
        EXPECT_EQ(known.errors[static_cast<std::size_t>(error)], 0);
      EXPECT_LT(known.largest_error(), 1e-15) << text;
      const auto solution = Solve(made.problem);
      ASSERT_TRUE(solution.ok());
      ASSERT_EQ(solution->phase, Phase::kOptimal) << text;
      EXPECT_NEAR(solution->quality.primal, *made.value, 1e-6 * (1 + std::abs(*made.value)))
          << text;
    }
  }
}

double DotOf(const SparseMatrix& matrix, const std::vector<Block>& blocks,
             const std::vector<std::vector<double>>& other) {
  double sum = 0;
  for (const auto& [block, elements] : matrix) {
    const auto l = static_cast<std::size_t>(block);
    for (const auto [row, column, value] : elements) {
      const int at = blocks[l].shape == Shape::kDense ? row * blocks[l].size + column : row;
      sum += (row == column ? 1 : 2) * value * other[l][static_cast<std::size_t>(at)];
    }
  }
  return sum;
}

std::vector<std::vector<double>> Combination(const Problem& problem, const std::vector<double>& x) {
  std::vector<std::vector<double>> sum;
  for (const Block& block : problem.blocks) {
    const auto size = static_cast<std::size_t>(block.size);
    sum.emplace_back(block.shape == Shape::kDense ? size * size : size, 0.0);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const auto& [block, elements] : problem.matrices[i + 1]) {
      const auto l = static_cast<std::size_t>(block);
      const int n = problem.blocks[l].size;
      for (const auto [row, column, value] : elements) {
        const bool is_dense = problem.blocks[l].shape == Shape::kDense;
        sum[l][static_cast<std::size_t>(is_dense ? row * n + column : row)] += x[i] * value;
        if (row != column) sum[l][static_cast<std::size_t>(column * n + row)] += x[i] * value;
      }
    }
  }
  return sum;
}

bool IsPositiveSemidefinite(const Problem& problem,
                            const std::vector<std::vector<double>>& blocks) {
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    if (ShiftToPositive(blocks[l], problem.blocks[l]) > 1e-15L) return false;
  }
  return true;
}

TEST(Infeasible, CertificatesSayWhy) {
  for (const std::string sizes : {"n=1,m=1", "n=5,m=4", "n=10", "n=10,m=30,seed=9"}) {
    const Generated primal = Made("infeasible:primal," + sizes);
    ASSERT_EQ(primal.answer, Answer::kPrimalInfeasible);
    const Problem& problem = primal.problem;
    EXPECT_TRUE(IsPositiveSemidefinite(problem, primal.known->dual));
    EXPECT_EQ(DotOf(problem.matrices[0], problem.blocks, primal.known->dual), 1);
    for (std::size_t i = 1; i <= problem.constraints(); ++i) {
      EXPECT_EQ(DotOf(problem.matrices[i], problem.blocks, primal.known->dual), 0) << i;
    }

    const Generated dual = Made("infeasible:dual," + sizes);
    ASSERT_EQ(dual.answer, Answer::kDualInfeasible);
    double cost = 0;
    for (std::size_t i = 0; i < dual.problem.constraints(); ++i) {
      cost += dual.problem.costs[i] * dual.known->x[i];
    }
    EXPECT_EQ(cost, -1);
    EXPECT_TRUE(IsPositiveSemidefinite(dual.problem, Combination(dual.problem, dual.known->x)));
  }
  EXPECT_EQ(Made("infeasible:weak").answer, Answer::kWeaklyInfeasible);
}

const std::string kOriginal = "random:blocks=5+d4+2x4,m=9,seed=3";

void ExpectTheSameAnswer(const Transformed& transformed) {
  const Generated original = Made(kOriginal);
  EXPECT_NE(transformed.problem, original.problem);
  const SolutionValues solution = SolutionOf(transformed.problem);
  const Certificate back = Certify(original.problem, transformed.back(solution));
  EXPECT_LT(back.largest_error(), 1e-6);
  EXPECT_NEAR(back.primal, *original.value, 1e-6);
  EXPECT_NEAR(back.dual, *original.value, 1e-6);
}

TEST(Transforms, KeepTheAnswer) {
  const Problem problem = Made(kOriginal).problem;
  Random random(1);
  ExpectTheSameAnswer(PermuteConstraints(problem, random.Order(9)));
  ExpectTheSameAnswer(PermuteBlocks(problem, random.Order(6)));
  std::vector<std::vector<int>> orders;
  std::vector<std::vector<double>> factors;
  for (const Block& block : problem.blocks) {
    orders.push_back(random.Order(block.size));
    const auto size = static_cast<std::size_t>(block.size);
    const bool is_dense = block.shape == Shape::kDense;
    std::vector<double> factor(is_dense ? size * size : size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      factor[is_dense ? i * size + i : i] = random.Positive();
      for (std::size_t j = 0; j < (is_dense ? i : 0); ++j) factor[i * size + j] = random.Fraction();
    }
    factors.push_back(std::move(factor));
  }
  ExpectTheSameAnswer(PermuteRows(problem, orders));
  ExpectTheSameAnswer(Congruent(problem, factors));
  std::vector<double> scales;
  for (int i = 0; i < 9; ++i) scales.push_back(random.NonZero() * 4);
  ExpectTheSameAnswer(ScaleConstraints(problem, scales));
  for (const double factor : {8.0, 1e3, 1e9}) {
    ExpectTheSameAnswer(ScaleConstant(problem, factor));
    ExpectTheSameAnswer(ScaleCosts(problem, factor));
  }
}

}  // namespace
}  // namespace sdpa
