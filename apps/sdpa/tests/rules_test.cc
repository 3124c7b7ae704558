#include "apps/sdpa/interior_point/rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {
namespace {

TEST(CenteringParameter, IsAsSmallAsAPredictorThatCouldGoFarPromises) {
  EXPECT_DOUBLE_EQ(CenteringParameter(0.5, 1, true), 0.125);
  // Of short steps the ratio itself.
  EXPECT_DOUBLE_EQ(CenteringParameter(0.5, 0.5, true), 0.5);
  EXPECT_LT(CenteringParameter(0.3, 0.9, true), CenteringParameter(0.3, 0.7, true));
}

TEST(CenteringParameter, HasBoundsWhateverTheRatio) {
  EXPECT_EQ(CenteringParameter(1e-30, 1, true), 1e-3);
  EXPECT_EQ(CenteringParameter(1e-30, 1, false), 0.05);
  // Roundings of X.Y may be below 0.
  EXPECT_EQ(CenteringParameter(-1e-20, 1, true), 1e-3);
  EXPECT_EQ(CenteringParameter(std::numeric_limits<double>::infinity(), 0.1, true), 0.8);
}

TEST(TerminationOf, IsASolutionWithinTheToleranceOrAProof) {
  const double none = std::numeric_limits<double>::infinity();
  const Quality good = {.primal_error = 1e-8, .dual_error = 1e-9, .gap = 1e-7, .product = 1e-8};
  EXPECT_EQ(TerminationOf(good, {none, none}, 1e-7, 0, 0), Phase::kOptimal);
  EXPECT_EQ(TerminationOf(good, {none, none}, 1e-8, 0, 0), std::nullopt);
  EXPECT_EQ(TerminationOf({.product = 2e-7}, {none, none}, 1e-7, 0, 0), std::nullopt);
  const Quality bad = {.primal_error = 1, .dual_error = 1, .gap = 1};
  EXPECT_EQ(TerminationOf(bad, {1e-9, none}, 1e-7, 0, 0), Phase::kPrimalInfeasible);
  EXPECT_EQ(TerminationOf(bad, {none, 1e-9}, 1e-7, 0, 0), Phase::kDualInfeasible);
  EXPECT_EQ(TerminationOf(bad, {1e-8, 1e-8}, 1e-7, 0, 0), std::nullopt);
  // A large point on the way.
  EXPECT_EQ(TerminationOf(bad, {1e-9, none}, 1e-7, 0.9, 0), std::nullopt);
  EXPECT_EQ(TerminationOf(bad, {none, 1e-9}, 1e-7, 0, 0.9), std::nullopt);
}

TEST(TerminationOf, WhatIsNoNumberIsNoEnd) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(TerminationOf({.primal_error = 0, .dual_error = nan, .gap = 0}, {nan, nan}, 1e-7, 0, 0),
            std::nullopt);
}

TEST(NextRegularization, GoesFromARoundingToTheMost) {
  for (const double rounding : {1e-15, 1e-31}) {
    double last = 0;
    int steps = 0;
    for (double shift = NextRegularization(0, rounding); shift > 0;
         shift = NextRegularization(shift, rounding)) {
      EXPECT_GT(shift, last);
      last = shift;
      ++steps;
    }
    EXPECT_EQ(last, 1e-8) << rounding;
    EXPECT_LE(steps, 8) << rounding;
  }
}

TEST(ProgressMonitor, EndsWhenNothingFallsAnyMore) {
  ProgressMonitor monitor;
  EXPECT_TRUE(monitor.HasProgress(0, {1, 1}));
  for (int number = 1; number < 30; ++number) EXPECT_TRUE(monitor.HasProgress(number, {0.95, 2}));
  EXPECT_FALSE(monitor.HasProgress(30, {0.95, 2}));
}

TEST(ProgressMonitor, LastsAsLongAsOneOfTheNumbersFalls) {
  ProgressMonitor monitor;
  for (int number = 0; number < 200; ++number) {
    EXPECT_TRUE(monitor.HasProgress(number, {std::pow(0.99, number), 1})) << number;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ProgressMonitor of_none;
  EXPECT_TRUE(of_none.HasProgress(0, {nan}));
  EXPECT_FALSE(of_none.HasProgress(30, {nan}));
}

TEST(FractionToBoundary, NeverReachesTheBoundary) {
  EXPECT_DOUBLE_EQ(FractionToBoundary(0), 0.9);
  EXPECT_DOUBLE_EQ(FractionToBoundary(1), 0.98);
}

TEST(IsWorthASecondCorrector, WhereTheFactorizationIsMostOfTheWork) {
  Problem problem = {
      .blocks = {{Shape::kDense, 100}, {Shape::kDiagonal, 1'000'000}}, .costs = {}, .matrices = {}};
  problem.costs.resize(1000);
  EXPECT_TRUE(IsWorthASecondCorrector(problem));
  problem.costs.resize(500);
  EXPECT_FALSE(IsWorthASecondCorrector(problem));
}

}  // namespace
}  // namespace sdpa
