#include "apps/sdpa/proof/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/certify.h"

namespace sdpa {
namespace {

// Smallest x of x >= 1: 1; Y is 1.
const Problem kAtLeastOne = {.blocks = {{Shape::kDiagonal, 1}},
                             .costs = {1},
                             .matrices = {{{0, {{0, 0, 1}}}}, {{0, {{0, 0, 1}}}}}};

Status StatusAt(double x, Phase phase = Phase::kStalled) {
  const SolutionValues claim = {.x = {x}, .slack = {{x - 1}}, .dual = {{1}}};
  return Judge(kAtLeastOne, claim, phase, 1e-7).status;
}

TEST(Judge, CountsTheErrorsWhateverTheMethodSays) {
  EXPECT_EQ(StatusAt(1 + 1e-8), Status::kOptimal);
  EXPECT_EQ(StatusAt(1 + 1e-8, Phase::kPrimalInfeasible), Status::kOptimal);
  EXPECT_EQ(StatusAt(1 + 1e-5), Status::kReducedAccuracy);
  EXPECT_EQ(StatusAt(1 + 1e-5, Phase::kTooManyIterations), Status::kReducedAccuracy);
  EXPECT_EQ(StatusAt(1 + 1e-5, Phase::kStopped), Status::kInterrupted);
  EXPECT_EQ(StatusAt(2), Status::kStalled);
  EXPECT_EQ(StatusAt(2, Phase::kOptimal), Status::kStalled);
  EXPECT_EQ(StatusAt(2, Phase::kTooManyIterations), Status::kTooManyIterations);
  EXPECT_EQ(StatusAt(std::numeric_limits<double>::quiet_NaN()), Status::kStalled);
}

// x = 10^20 + 1e-9 and X = 1e-9 of x >= 10^20: more digits than a double has.
TEST(Judge, SeesTheSecondNumbersOfPairs) {
  const Problem large = {.blocks = {{Shape::kDiagonal, 1}},
                         .costs = {1},
                         .matrices = {{{0, {{0, 0, 1e20}}}}, {{0, {{0, 0, 1}}}}}};
  SolutionValues claim = {.x = {1e20}, .slack = {{1e-9}}, .dual = {{1}}};
  claim.low = {.x = {1e-9}, .slack = {{0}}, .dual = {{0}}};
  EXPECT_EQ(Judge(large, claim, Phase::kStalled, 1e-29).certificate.errors[2], 0);
  claim.low.x[0] = 2e-9;
  EXPECT_NEAR(Judge(large, claim, Phase::kStalled, 1e-29).certificate.errors[2], 1e-29, 1e-31);
}

// x >= 1, and factor x <= -1 too.
Problem Between(double factor) {
  return {.blocks = {{Shape::kDiagonal, 2}},
          .costs = {1},
          .matrices = {{{0, {{0, 0, 1}, {1, 1, 1}}}}, {{0, {{0, 0, 1}, {1, 1, factor}}}}}};
}

TEST(Judge, AProofThatRoundingsLeaveAlmostRightIsOneOfAnySize) {
  const SolutionValues claim = {.x = {1}, .slack = {{1, 1}}, .dual = {{1e9 + 1, 1e9}}};
  const Judgement judgement = Judge(Between(-1), claim, Phase::kPrimalInfeasible, 1e-7);
  EXPECT_EQ(judgement.status, Status::kPrimalInfeasible);
  EXPECT_TRUE(std::isinf(judgement.proof.least_size));
}

// x may be 10^9.
TEST(Judge, AProofThatNoSmallSolutionIsThereIsNoneOfAll) {
  const SolutionValues claim = {.x = {1}, .slack = {{1, 1}}, .dual = {{1, 1e9}}};
  const Judgement judgement = Judge(Between(1e-9), claim, Phase::kPrimalInfeasible, 1e-7);
  EXPECT_EQ(judgement.status, Status::kPrimalInfeasibleUpTo);
  EXPECT_LE(judgement.proof.least_size, 1e9);
  EXPECT_GE(judgement.proof.least_size, 1e7);
}

TEST(Judge, TheBetterOneSaysMoreOrIsMoreExact) {
  const auto of = [](Status status, double error) {
    Judgement judgement = {.status = status, .certificate = {}, .proof = {}};
    judgement.certificate.errors[0] = error;
    return judgement;
  };
  EXPECT_TRUE(IsBetter(of(Status::kOptimal, 1e-8), of(Status::kReducedAccuracy, 1e-6)));
  EXPECT_TRUE(IsBetter(of(Status::kReducedAccuracy, 1e-6), of(Status::kStalled, 1e-9)));
  EXPECT_TRUE(IsBetter(of(Status::kTimeLimit, 1), of(Status::kStalled, 1)));
  EXPECT_TRUE(IsBetter(of(Status::kStalled, 1e-3), of(Status::kStalled, 1e-2)));
  EXPECT_FALSE(IsBetter(of(Status::kStalled, 1e-2), of(Status::kStalled, 1e-2)));
}

TEST(ExitCodeOf, IsOneForEachKindOfEnd) {
  EXPECT_EQ(ExitCodeOf(Status::kOptimal), 0);
  EXPECT_EQ(ExitCodeOf(Status::kDualInfeasible), 0);
  EXPECT_EQ(ExitCodeOf(Status::kStalled), 1);
  EXPECT_EQ(ExitCodeOf(Status::kReducedAccuracy), 3);
  EXPECT_EQ(ExitCodeOf(Status::kDualInfeasibleUpTo), 3);
  EXPECT_EQ(ExitCodeOf(Status::kTimeLimit), 4);
  EXPECT_EQ(ExitCodeOf(Status::kInterrupted), 4);
  EXPECT_EQ(ExitCodeOf(Status::kTooManyIterations), 4);
}

}  // namespace
}  // namespace sdpa
