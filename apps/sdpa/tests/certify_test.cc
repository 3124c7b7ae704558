#include "apps/sdpa/proof/certify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/proof/definite.h"
#include "apps/sdpa/proof/infeasibility.h"
#include "apps/sdpa/proof/positive.h"

namespace sdpa {
namespace {

// minimize x subject to x I - diag(1, 2) >= 0, in a dense and in a diagonal block: x = 2.
const Problem kProblem = {.blocks = {{Shape::kDense, 2}, {Shape::kDiagonal, 1}},
                          .costs = {1},
                          .matrices = {{{0, {{0, 0, 1}, {1, 1, 2}}}, {1, {{0, 0, 1}}}},
                                       {{0, {{0, 0, 1}, {1, 1, 1}}}, {1, {{0, 0, 1}}}}}};

struct Solution {
  double x = 2;
  std::vector<double> slack = {1, 0, 0, 0}, slack_diagonal = {1};
  std::vector<double> dual = {0, 0, 0, 1}, dual_diagonal = {0};

  Certificate certificate() const {
    return Certify(kProblem,
                   {.x = {x}, .slack = {slack, slack_diagonal}, .dual = {dual, dual_diagonal}});
  }
};

TEST(Certify, SaysWhatErrorsAreBeforeTheyAreDivided) {
  Solution wrong;
  wrong.dual[3] = 0.5;
  EXPECT_DOUBLE_EQ(wrong.certificate().dual_residual, 0.5);
  wrong.slack[1] = wrong.slack[2] = 3;
  EXPECT_DOUBLE_EQ(wrong.certificate().primal_residual, std::sqrt(18));
  wrong.dual = {1, 0, 0, 1};
  EXPECT_DOUBLE_EQ(wrong.certificate().mu, 1.0 / 3) << "X.Y is 1, of 3 rows";
}

TEST(Certify, ASolutionHasNoErrors) {
  const Certificate certificate = Solution().certificate();
  EXPECT_EQ(certificate.primal, 2);
  EXPECT_EQ(certificate.dual, 2);
  EXPECT_LT(certificate.largest_error(), 1e-17) << "the zero eigenvalue has no Cholesky factor";
}

// By the sizes 1 + max|c| = 2 and 1 + max|F_0| = 3.
TEST(Certify, EachErrorIsSeenForItself) {
  Solution wrong;
  wrong.dual[3] = 0.5;
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[0], 0.5 / 2);
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[4], (2.0 - 1) / (1 + 2 + 1));
  wrong = Solution();
  wrong.dual_diagonal[0] = -0.5;
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[1], 0.5 / 2);
  wrong = Solution();
  wrong.slack[1] = wrong.slack[2] = 0.25;
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[2], std::sqrt(2 * 0.0625) / 3);
  EXPECT_GT(wrong.certificate().errors[3], 0.059 / 3) << "the eigenvalue (1 - sqrt(1.25)) / 2";
  EXPECT_LT(wrong.certificate().errors[3], 0.119 / 3) << "the shifts double";
  wrong = Solution();
  wrong.dual = {1, 0, 0, 0};
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[4], (2.0 - 1) / (1 + 2 + 1));
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[5], 1.0 / (1 + 2 + 1));
  wrong.x = 1;
  EXPECT_DOUBLE_EQ(wrong.certificate().primal, 1);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                 kInfinity = std::numeric_limits<double>::infinity();

TEST(Certify, ASolutionWithWhatIsNoNumberIsNone) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    std::vector<Solution> wrong(5);
    wrong[0].x = bad;
    wrong[1].slack[1] = bad;  // above the diagonal, which no factor reads
    wrong[2].slack_diagonal[0] = bad;
    wrong[3].dual[2] = bad;
    wrong[4].dual_diagonal[0] = bad;
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      EXPECT_FALSE(wrong[i].certificate().largest_error() < 1) << bad << ", " << i;
    }
  }
}

TEST(Certify, TheLargestErrorIsNoNumberWhereverOneIsNone) {
  for (std::size_t i = 0; i < 6; ++i) {
    Certificate certificate = {.errors = {1, 1, 1, 1, 1, 1}};
    EXPECT_EQ(certificate.largest_error(), 1);
    certificate.errors[i] = -2;
    EXPECT_EQ(certificate.largest_error(), 2);
    certificate.errors[i] = kNaN;
    EXPECT_TRUE(std::isnan(certificate.largest_error())) << i;
  }
}

TEST(ShiftToPositive, IsAboveTheNegativeEigenvalueByAFactorOfTwoAtMost) {
  const Block dense = {Shape::kDense, 2}, diagonal = {Shape::kDiagonal, 2};
  EXPECT_EQ(ShiftToPositive(std::vector<double>{2, 1, 1, 2}, dense), 0);
  for (const double eigenvalue : {1e-12, 1e-3, 0.5, 1.0}) {
    const std::vector<double> matrix = {1 - eigenvalue, 1, 1, 1 - eigenvalue};
    EXPECT_GE(ShiftToPositive(matrix, dense), 0.999 * eigenvalue);
    EXPECT_LE(ShiftToPositive(matrix, dense), 2.001 * eigenvalue);
  }
  EXPECT_EQ(ShiftToPositive(std::vector<double>{3, -0.25}, diagonal), 0.25);
  EXPECT_EQ(ShiftToPositive(std::vector<double>{3, 0}, diagonal), 0);
}

// The matrix of ones, of sizes about those of the factorization's blocks.
TEST(DefiniteByDoubles, IsSureOfNothingThatIsNotSo) {
  for (const std::size_t n : {1, 2, 3, 15, 16, 17, 33, 64, 65}) {
    std::vector<double> matrix(n * n, 1);  // ee': its least eigenvalue is 0, from two rows on
    if (n == 1) matrix = {0};
    for (const double size : {1.0, 1e-8, 1e8}) {
      std::vector<double> scaled = matrix;
      for (double& element : scaled) element *= size;
      const auto of = [&](double shift) { return DefiniteByDoubles(scaled, n, shift * size); };
      EXPECT_EQ(of(1e-10), Definite::kYes) << n;
      EXPECT_EQ(of(-1e-10), Definite::kNo) << n;
      EXPECT_EQ(of(n == 1 ? 0 : 1e-17), Definite::kUnclear) << n;
    }
  }
}

TEST(DefiniteByDoubles, OfNumbersWhoseProductsOverflowNothingIsKnown) {
  EXPECT_EQ(DefiniteByDoubles(std::vector<double>{1e300, 0, 0, 1}, 2, 0), Definite::kUnclear);
  EXPECT_EQ(DefiniteByDoubles(std::vector<double>{1, 0, kNaN, 1}, 2, 0), Definite::kNo);
  EXPECT_EQ(DefiniteByDoubles(std::vector<double>{kNaN, 0, 0, 1}, 2, 0), Definite::kUnclear);
}

TEST(ShiftToPositive, ZerosNeedNone) {
  EXPECT_EQ(ShiftToPositive(std::vector<double>(9, 0.0), {Shape::kDense, 3}), 0);
  EXPECT_EQ(ShiftToPositive(std::vector<double>(3, 0.0), {Shape::kDiagonal, 3}), 0);
}

TEST(ShiftToPositive, NoShiftHelpsAMatrixThatIsNotFinite) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_TRUE(std::isinf(ShiftToPositive(std::vector<double>{1, bad, 0, 1}, {Shape::kDense, 2})));
    EXPECT_TRUE(std::isinf(ShiftToPositive(std::vector<double>{0, 0, 0, bad}, {Shape::kDense, 2})));
    EXPECT_TRUE(std::isinf(ShiftToPositive(std::vector<double>{1, bad}, {Shape::kDiagonal, 2})));
  }
}

// x >= 1 and x <= 0: by Y = I. The dense block has a part that no F touches.
const Problem kNoX = {
    .blocks = {{Shape::kDiagonal, 2}, {Shape::kDense, 2}},
    .costs = {1},
    .matrices = {{{0, {{0, 0, 1}}}}, {{0, {{0, 0, 1}, {1, 1, -1}}}, {1, {{0, 0, 1}}}}}};

InfeasibilityProof ProofByY(std::vector<double> diagonal, std::vector<double> dense) {
  return ProvePrimalInfeasible(
      kNoX, {.x = {0}, .slack = {}, .dual = {std::move(diagonal), std::move(dense)}});
}

TEST(ProvePrimalInfeasible, AProofHasNoSolutionsOfAnySize) {
  const InfeasibilityProof proof = ProofByY({1, 1}, {0, 0, 0, 0});
  EXPECT_EQ(proof.residual, 0);
  EXPECT_EQ(proof.shift, 0);
  EXPECT_EQ(proof.least_size, kInfinity);
  // Of any size, as only the direction counts.
  EXPECT_EQ(ProofByY({1e-20, 1e-20}, {0, 0, 0, 0}).least_size, kInfinity);
  EXPECT_EQ(ProofByY({1e20, 1e20}, {0, 0, 0, 0}).least_size, kInfinity);
}

TEST(ProvePrimalInfeasible, WhatIsNearlyAProofExcludesSmallSolutions) {
  // F_1.Y is 0.001, |F_0| is 1 and |F_1| the root of 3.
  EXPECT_NEAR(ProofByY({1, 0.999}, {0, 0, 0, 0}).least_size, 1000 * std::sqrt(3), 1);
  EXPECT_NEAR(ProofByY({1000, 999}, {0, 0, 0, 0}).least_size, 1000 * std::sqrt(3), 1);
  // An eigenvalue is -0.001.
  const InfeasibilityProof proof = ProofByY({1, 1}, {0, 0, 0, -0.001});
  EXPECT_LE(proof.least_size, 1000);
  EXPECT_GE(proof.least_size, 500);
}

// x >= 10^9, and -10^9 x at most, where 1 - x >= 0: what looks small against such numbers is no
// proof, in whatever units they are.
TEST(Proofs, AreTheSameInAnyUnits) {
  for (const double size : {1e-9, 1.0, 1e9}) {
    const Problem bound = {.blocks = {{Shape::kDiagonal, 1}},
                           .costs = {1},
                           .matrices = {{{0, {{0, 0, size}}}}, {{0, {{0, 0, 1}}}}}};
    EXPECT_LE(ProvePrimalInfeasible(bound, {.x = {0}, .slack = {}, .dual = {{1}}}).least_size, 1)
        << size;
    const Problem costly = {.blocks = {{Shape::kDiagonal, 1}},
                            .costs = {-size},
                            .matrices = {{{0, {{0, 0, -1}}}}, {{0, {{0, 0, -1}}}}}};
    EXPECT_LE(ProveDualInfeasible(costly, {.x = {1}, .slack = {}, .dual = {}}).least_size, 1)
        << size;
  }
}

TEST(ProvePrimalInfeasible, WhatIsNoProofExcludesNothing) {
  EXPECT_EQ(ProofByY({-1, -1}, {0, 0, 0, 0}).least_size, 0) << "F_0.Y is below 0";
  EXPECT_EQ(ProofByY({0, 1}, {0, 0, 0, 0}).least_size, 0) << "F_0.Y is 0";
  EXPECT_LE(ProofByY({1, 0}, {0, 0, 0, 0}).least_size, 2);
  EXPECT_LE(ProofByY({1, 1}, {0, 5, 5, 0}).least_size, 1);
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(ProofByY({bad, 1}, {0, 0, 0, 0}).least_size, 0);
    EXPECT_EQ(ProofByY({1, bad}, {0, 0, 0, 0}).least_size, 0);
    EXPECT_EQ(ProofByY({1, 1}, {bad, 0, 0, 0}).least_size, 0);
    EXPECT_EQ(ProofByY({1, 1}, {0, 0, 0, bad}).least_size, 0) << "which no F touches";
    EXPECT_EQ(ProofByY({1, 1}, {0, bad, 0, 0}).least_size, 0) << "nor does any factor";
  }
}

// Y_11 = -1, and Y_22 is anything: by x = (1, 0).
const Problem kNoY = {.blocks = {{Shape::kDense, 2}},
                      .costs = {-1, 0},
                      .matrices = {{}, {{0, {{0, 0, 1}}}}, {{0, {{1, 1, 1}}}}}};

InfeasibilityProof ProofByX(double first, double second) {
  return ProveDualInfeasible(kNoY, {.x = {first, second}, .slack = {}, .dual = {}});
}

TEST(ProveDualInfeasible, RightProofsAreAcceptedAndWrongOnesExcludeLittle) {
  EXPECT_GT(ProofByX(1, 0).least_size, 1e15) << "the eigenvalue 0 has no factor";
  EXPECT_EQ(ProofByX(1, 1).least_size, kInfinity);
  EXPECT_EQ(ProofByX(1e-30, 1e-30).least_size, kInfinity);
  EXPECT_LE(ProofByX(1, -0.001).least_size, 1000);
  EXPECT_GE(ProofByX(1, -0.001).least_size, 500);
  EXPECT_LE(ProofByX(1, -1).least_size, 1);
  EXPECT_EQ(ProofByX(-1, 0).least_size, 0) << "c'x is above 0";
  EXPECT_EQ(ProofByX(0, 1).least_size, 0) << "c'x is 0";
}

// minimize -x_1 subject to x_1 >= 0, x_1 - 0.3 x_2 = 0 as two rows, and `last` x_1 >= 0.3 x_2.
Problem WithAnEquality(double last) {
  return {.blocks = {{Shape::kDiagonal, 4}},
          .costs = {-1, 0},
          .matrices = {{},
                       {{0, {{0, 0, 1}, {1, 1, 1}, {2, 2, -1}, {3, 3, last}}}},
                       {{0, {{1, 1, -0.3}, {2, 2, 0.3}, {3, 3, -0.3}}}}}};
}

TEST(ProveDualInfeasible, ADirectionMayMissEqualitiesByRoundings) {
  const SolutionValues direction = {.x = {1, 1 / 0.3}, .slack = {}, .dual = {}};
  EXPECT_TRUE(ProveDualInfeasible(WithAnEquality(1 + 1e-9), direction).IsProof());
  EXPECT_FALSE(ProveDualInfeasible(WithAnEquality(1 - 1e-9), direction).IsProof());
  const SolutionValues wrong = {.x = {1, 3.3}, .slack = {}, .dual = {}};
  EXPECT_FALSE(ProveDualInfeasible(WithAnEquality(1 + 1e-9), wrong).IsProof());
}

TEST(ProveDualInfeasible, WhatIsNoNumberIsNoProof) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(ProofByX(bad, 0).least_size, 0);
    EXPECT_EQ(ProofByX(1, bad).least_size, 0);
  }
  EXPECT_EQ(ProofByX(1e-300, 1e300).least_size, 0) << "its size over c'x is no double";
}

}  // namespace
}  // namespace sdpa
