// The solver as other programs call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/problem/check_problem.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/solve/solve.h"

namespace sdpa {
namespace {

using testing::HasSubstr;

// min x_1 + x_2 so that x_1 >= 1 and (x_2 1; 1 x_1) is positive semidefinite: 2, by x = (1, 1).
Problem Small() {
  return {.blocks = {{Shape::kDense, 2}, {Shape::kDiagonal, 1}},
          .costs = {1, 1},
          .matrices = {{{0, {{0, 1, -1}}}, {1, {{0, 0, 1}}}},
                       {{0, {{1, 1, 1}}}, {1, {{0, 0, 1}}}},
                       {{0, {{0, 0, 1}}}}}};
}

TEST(Solver, SolvesAProblemThatAProgramFillsIn) {
  const auto outcome = Solve(Small());
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->judgement.status, Status::kOptimal);
  EXPECT_NEAR(outcome->judgement.certificate.primal, 2, 1e-6);
  EXPECT_NEAR(outcome->solution.x[0], 1, 1e-3);
  EXPECT_EQ(outcome->iterations.size(),
            static_cast<std::size_t>(outcome->iterations.back().number));
}

// Dense and sparse, on a face, without equalities, and by short products.
TEST(Solver, IsTheSameForAnyNumberOfThreads) {
  for (const std::string text : {"control:n=6", "bisection:random,n=30", "max-cut:random,n=60",
                                 "material:blocks=150", "truss:rows=4,columns=4", "qap:n=4"}) {
    const auto generated = Generate(text);
    ASSERT_TRUE(generated.ok()) << generated.status();
    const auto one = Solve(generated->problem, {.threads = 1});
    ASSERT_TRUE(one.ok()) << one.status();
    for (const int threads : {2, 7}) {
      const auto other = Solve(generated->problem, {.threads = threads});
      ASSERT_TRUE(other.ok()) << other.status();
      EXPECT_EQ(other->threads, threads);
      EXPECT_EQ(other->solution, one->solution) << text << ", " << threads;
    }
  }
}

TEST(Solver, EndsWhereTheCallbackSaysSoWithTheBestPoint) {
  int calls = 0;
  SolutionValues last;
  const auto outcome = Solve(
      Small(),
      {.progress = [&](const Iteration& iteration, const std::function<SolutionValues()>& point) {
        EXPECT_EQ(iteration.number, ++calls);
        last = point();
        return calls < 3;
      }});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->judgement.status, Status::kInterrupted);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(outcome->solution, last);
}

TEST(Solver, EndsWithinItsTime) {
  const auto outcome = Solve(Small(), {.seconds = 0});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->judgement.status, Status::kTimeLimit);
  EXPECT_EQ(outcome->iterations.size(), 0u);
}

std::string FaultOf(const std::function<void(Problem&)>& spoil) {
  Problem problem = Small();
  spoil(problem);
  const absl::Status status = CheckProblem(problem);
  EXPECT_EQ(Solve(problem).status(), status);
  return std::string(status.message());
}

TEST(CheckProblem, NamesTheFirstFault) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(CheckProblem(Small()).ok());
  EXPECT_EQ(FaultOf([](Problem& it) { it.costs.clear(); }), "there is no constraint");
  EXPECT_EQ(FaultOf([](Problem& it) { it.blocks.clear(); }), "there is no block");
  EXPECT_THAT(FaultOf([](Problem& it) { it.matrices.pop_back(); }),
              HasSubstr("there are 2 matrices, expected 3"));
  EXPECT_EQ(FaultOf([](Problem& it) { it.blocks[1].size = 0; }), "block 1 has 0 rows");
  EXPECT_EQ(FaultOf([&](Problem& it) { it.costs[1] = nan; }), "c_2 is nan");
  EXPECT_EQ(FaultOf([](Problem& it) { it.matrices[0][1].block = 2; }),
            "F_0, block 2: there are 2 blocks, from 0 on");
  EXPECT_EQ(FaultOf([](Problem& it) { it.matrices[0][1].block = 0; }),
            "F_0, block 0 is not after block 0");
  EXPECT_EQ(FaultOf([](Problem& it) { it.matrices[0][0].elements.clear(); }),
            "F_0, block 0 has no element");
  EXPECT_EQ(FaultOf([](Problem& it) {
              it.matrices[0][0].elements[0] = {1, 0, 1};
            }),
            "F_0, block 0, row 1, column 0: expected 0 <= row <= column < 2");
  EXPECT_EQ(FaultOf([](Problem& it) { it.matrices[0][0].elements[0].column = 2; }),
            "F_0, block 0, row 0, column 2: expected 0 <= row <= column < 2");
  EXPECT_EQ(FaultOf([](Problem& it) {
              it.matrices[0][0].elements.push_back({0, 1, 1});
            }),
            "F_0, block 0, row 0, column 1 is not after row 0, column 1");
  EXPECT_EQ(FaultOf([&](Problem& it) { it.matrices[2][0].elements[0].value = nan; }),
            "F_2, block 0, row 0, column 0 is nan");
  EXPECT_EQ(FaultOf([](Problem& it) {
              it.blocks[1].size = 2;
              it.matrices[0][1].elements[0].column = 1;
            }),
            "F_0, block 1, row 0, column 1 is not on the diagonal of a diagonal block");
}

TEST(Solver, RefusesOptionsThatAreNone) {
  const auto fault = [](const Options& options) {
    return std::string(Solve(Small(), options).status().message());
  };
  EXPECT_EQ(fault({.tolerance = 0}), "the tolerance is 0, expected 1e-28 to 1");
  EXPECT_EQ(fault({.iterations = 0}), "0 iterations, expected at least 1");
  EXPECT_EQ(fault({.seconds = std::numeric_limits<double>::quiet_NaN()}), "nan seconds is no time");
  EXPECT_EQ(fault({.start = -1}), "the start is -1, expected 1e-30 to 1e30");
  EXPECT_NE(fault({.threads = -1}), "");
  EXPECT_THAT(fault({.most_bytes = 1}), HasSubstr("there is"));
  EXPECT_THAT(fault({.precision = Precision::kDoubleDouble, .schur = SchurKind::kSparse}),
              HasSubstr("with doubles only"));
  SolutionValues initial = {.x = {1, 2}, .slack = {{1, 0, 0, 1}, {1}}, .dual = {{1, 0, 0}, {1}}};
  EXPECT_EQ(fault({.initial = &initial}),
            "the initial point has 3 numbers in block 0 of Y, expected 4");
  initial.x = {1};
  EXPECT_EQ(fault({.initial = &initial}), "the initial point has 1 numbers x, expected 2");
}

}  // namespace
}  // namespace sdpa
