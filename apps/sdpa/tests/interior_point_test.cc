#include "apps/sdpa/interior_point/interior_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/certify.h"
#include "apps/sdpa/proof/infeasibility.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

Generated Made(const std::string& text) {
  auto made = Generate(text);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

// A value: how a run ended.
struct End {
  Phase phase = Phase::kStalled;
  Quality quality;
  SolutionValues values;
  int iterations = 0;
  bool is_sparse = false;
};

template <typename Real = double>
End EndOf(const Problem& problem, const SolverOptions& options = {}, int threads = 2) {
  taskrt::RuntimeOptions of_runtime;
  of_runtime.pool.workers = threads;
  auto runtime = taskrt::Runtime::Create(std::move(of_runtime));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  const absl::StatusOr<Solution<Real>> solution =
      (*runtime)->Run([&](taskrt::Runtime& rt) { return Solve<Real>(rt, problem, options); });
  EXPECT_TRUE(solution.ok()) << solution.status();
  return {solution->phase, solution->quality, ValuesOf(solution->point), solution->iterations,
          solution->is_sparse};
}

void ExpectSolved(const Problem& problem, const End& end, double value) {
  EXPECT_EQ(end.phase, Phase::kOptimal) << end.iterations << " iterations, gap " << end.quality.gap;
  EXPECT_NEAR(end.quality.primal, value, 1e-5 * (1 + std::abs(value)));
  EXPECT_NEAR(end.quality.dual, value, 1e-5 * (1 + std::abs(value)));
  EXPECT_LT(Certify(problem, end.values).largest_error(), 1e-6);
}

// By matrices that are dense and sparse, and in pairs of doubles.
void ExpectSolvedInEachWay(const Problem& problem, double value) {
  for (const SchurKind kind : {SchurKind::kDense, SchurKind::kSparse}) {
    const End end = EndOf(problem, {.schur = kind});
    EXPECT_EQ(end.is_sparse, kind == SchurKind::kSparse);
    ExpectSolved(problem, end, value);
  }
  ExpectSolved(problem, EndOf<DoubleDouble>(problem), value);
}

Problem Manual() {
  auto problem = Parse(Format::kSparse, "f",
                       "3\n1\n2\n48 -8 20\n0 1 1 1 -11\n0 1 2 2 23\n1 1 1 1 10\n1 1 1 2 4\n"
                       "2 1 2 2 -8\n3 1 1 2 -8\n3 1 2 2 -2\n");
  EXPECT_TRUE(problem.ok());
  return *std::move(problem);
}

// SDPA's manual has -41.9.
TEST(InteriorPoint, SolvesTheManualsExample) { ExpectSolvedInEachWay(Manual(), -41.9); }

TEST(InteriorPoint, FindsKnownValuesInEachWay) {
  for (const std::string text :
       {"theta:cycle,n=9", "theta:petersen", "bordered-theta:cycle,n=6", "max-cut:cycle,n=8",
        "random:blocks=6+d4+2x3+1,m=8,empty=1", "random:blocks=3x6+d2,m=10,touched=2",
        "random:blocks=d7,m=3", "random:blocks=7,m=15,kind=rank-one,elements=3"}) {
    const Generated made = Made(text);
    ASSERT_TRUE(made.value);
    ExpectSolvedInEachWay(made.problem, *made.value);
    EXPECT_FALSE(testing::Test::HasFailure()) << text;
  }
}

TEST(InteriorPoint, PairsOfDoublesFindMoreDigits) {
  const Generated made = Made("theta:cycle,n=5");
  const End end = EndOf<DoubleDouble>(made.problem, {.tolerance = 1e-24});
  EXPECT_EQ(end.phase, Phase::kOptimal);
  EXPECT_LT(end.quality.largest_error(), 1e-24);
  EXPECT_NEAR(end.quality.primal, std::sqrt(5.0), 1e-15);
}

TEST(InteriorPoint, IsTheSameInEveryBitForAnyNumberOfThreads) {
  for (const std::string text : {"theta:n=30,m=90", "random:blocks=3x20+d6+9,touched=2,m=80",
                                 "control:n=4", "infeasible:primal"}) {
    const Problem problem = Made(text).problem;
    for (const SchurKind kind : {SchurKind::kDense, SchurKind::kSparse}) {
      const End by_one = EndOf(problem, {.schur = kind}, 1);
      for (const int threads : {2, 7}) {
        const End end = EndOf(problem, {.schur = kind}, threads);
        EXPECT_EQ(end.values, by_one.values) << text << ", " << threads << " threads";
        EXPECT_EQ(end.iterations, by_one.iterations);
        EXPECT_EQ(end.quality.primal, by_one.quality.primal);
      }
    }
  }
  const Problem problem = Made("random:blocks=5+d3,m=9").problem;
  EXPECT_EQ(EndOf<DoubleDouble>(problem, {}, 3).values, EndOf<DoubleDouble>(problem, {}, 1).values);
}

// Blocks of several stripes, sums of several pieces, and products by an aggregate pattern: few
// iterations have all of them.
TEST(InteriorPoint, IsTheSameInEveryBitWhereABlockIsOfAllWorkers) {
  for (const std::string text : {"max-cut:torus,n=200", "theta:n=140,m=200"}) {
    const Problem problem = Made(text).problem;
    const SolverOptions options = {.most_iterations = 3};
    const End by_one = EndOf(problem, options, 1);
    for (const int threads : {2, 7}) {
      const End end = EndOf(problem, options, threads);
      EXPECT_EQ(end.values, by_one.values) << text << ", " << threads << " threads";
      EXPECT_EQ(end.quality.gap, by_one.quality.gap) << text;
    }
  }
}

// x >= 10^9, whose first point looks like a proof against it if units do not count; and -10^9 x
// where 1 - x >= 0.
TEST(InteriorPoint, LargeNumbersAreNoProofs) {
  const Problem bound = {.blocks = {{Shape::kDiagonal, 1}},
                         .costs = {1},
                         .matrices = {{{0, {{0, 0, 1e9}}}}, {{0, {{0, 0, 1}}}}}};
  ExpectSolved(bound, EndOf(bound), 1e9);
  const Problem costly = {.blocks = {{Shape::kDiagonal, 1}},
                          .costs = {-1e9},
                          .matrices = {{{0, {{0, 0, -1}}}}, {{0, {{0, 0, -1}}}}}};
  ExpectSolved(costly, EndOf(costly), -1e9);
}

TEST(InteriorPoint, ConstraintsThatFollowFromOthersChangeNothing) {
  for (const std::string text : {"random:blocks=6+d4,m=8", "theta:cycle,n=7", "control:n=3"}) {
    const Problem problem = Made(text).problem;
    const double value = EndOf(problem).quality.primal;
    Problem twice = problem;
    twice.matrices.push_back(problem.matrices[2]);
    twice.costs.push_back(problem.costs[1]);
    Problem sum = twice;
    MatrixBuilder both;
    for (const std::size_t i : {1, 3}) {
      for (const auto& [block, elements] : problem.matrices[i]) {
        for (const auto [row, column, element] : elements) both.Add(block, row, column, element);
      }
    }
    sum.matrices.push_back(both.Build());
    sum.costs.push_back(problem.costs[0] + problem.costs[2]);
    for (const Problem& dependent : {twice, sum}) {
      for (const SchurKind kind : {SchurKind::kDense, SchurKind::kSparse}) {
        ExpectSolved(dependent, EndOf(dependent, {.schur = kind}), value);
      }
      ExpectSolved(dependent, EndOf<DoubleDouble>(dependent, {.tolerance = 1e-12}), value);
    }
    EXPECT_FALSE(testing::Test::HasFailure()) << text;
  }
}

TEST(InteriorPoint, AnEmptyConstraintIsMetOrExcludesEachY) {
  const Generated made = Made("random:blocks=5+d3,m=6");
  Problem problem = made.problem;
  problem.matrices.insert(problem.matrices.begin() + 3, SparseMatrix{});
  problem.costs.insert(problem.costs.begin() + 2, 0.0);
  ExpectSolvedInEachWay(problem, *made.value);
  EXPECT_EQ(EndOf(problem).values.x[2], 0);
  for (const double cost : {1.0, -0.5}) {
    problem.costs[2] = cost;
    for (const SchurKind kind : {SchurKind::kDense, SchurKind::kSparse}) {
      const End end = EndOf(problem, {.schur = kind});
      EXPECT_EQ(end.phase, Phase::kDualInfeasible);
      EXPECT_GT(ProveDualInfeasible(problem, end.values).least_size, 1e7);
    }
  }
}

TEST(InteriorPoint, InfeasibleProblemsEndWithAProof) {
  for (const std::string sizes : {"n=4,m=3", "n=10", "n=10,m=30,seed=9", "n=15,m=5,seed=3"}) {
    const Problem primal = Made("infeasible:primal," + sizes).problem,
                  dual = Made("infeasible:dual," + sizes).problem;
    const auto expect = [&](const End& of_primal, const End& of_dual) {
      EXPECT_EQ(of_primal.phase, Phase::kPrimalInfeasible) << sizes;
      EXPECT_GT(ProvePrimalInfeasible(primal, of_primal.values).least_size, 1e7) << sizes;
      EXPECT_EQ(of_dual.phase, Phase::kDualInfeasible) << sizes;
      EXPECT_GT(ProveDualInfeasible(dual, of_dual.values).least_size, 1e7) << sizes;
    };
    expect(EndOf(primal), EndOf(dual));
    expect(EndOf<DoubleDouble>(primal), EndOf<DoubleDouble>(dual));
  }
}

// Feasible points are as near as wanted, and of any size: neither a solution nor a proof.
TEST(InteriorPoint, OfAWeaklyInfeasibleProblemNothingIsSaidThatIsWrong) {
  const Problem problem = Made("infeasible:weak").problem;
  for (const double tolerance : {1e-7, 1e-10}) {
    const End end = EndOf(problem, {.tolerance = tolerance});
    EXPECT_NE(end.phase, Phase::kDualInfeasible) << "Y = 0, 0, 0, 1 is nearly feasible";
    if (end.phase == Phase::kOptimal) {
      EXPECT_LT(Certify(problem, end.values).largest_error(), 1e-5) << "to these digits";
    }
    if (end.phase == Phase::kPrimalInfeasible) {
      EXPECT_GT(ProvePrimalInfeasible(problem, end.values).least_size, 1e7) << "of small ones";
    }
  }
}

// Y is determined by the constraints, and singular: no point is inside the cone.
TEST(InteriorPoint, WhereNoPointIsInsideTheConeNothingIsSaidThatIsWrong) {
  Problem problem =
      Made("random:blocks=2+5,m=9,kind=sparse,elements=3,seed=797093552,touched=1").problem;
  for (const SchurKind kind : {SchurKind::kDense, SchurKind::kSparse}) {
    const End end = EndOf(problem, {.schur = kind});
    for (const double x : end.values.x) EXPECT_TRUE(std::isfinite(x));
    if (end.phase == Phase::kOptimal) {
      EXPECT_LT(Certify(problem, end.values).largest_error(), 1e-5);
    }
    EXPECT_NE(end.phase, Phase::kPrimalInfeasible);
    EXPECT_NE(end.phase, Phase::kDualInfeasible);
  }
}

TEST(InteriorPoint, StartsOfManySizesEndAlike) {
  const Generated made = Made("random:blocks=6+d4,m=8");
  for (const double start : {1.0, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12}) {
    ExpectSolved(made.problem, EndOf(made.problem, {.start = start}), *made.value);
    EXPECT_FALSE(testing::Test::HasFailure()) << start;
  }
}

TEST(InteriorPoint, ASolutionIsAStartFromWhichFewIterationsAreLeft) {
  for (const std::string text : {"random:blocks=6+d4,m=8", "theta:cycle,n=7"}) {
    const Generated made = Made(text);
    const End first = EndOf(made.problem);
    const End again = EndOf(made.problem, {.initial = &first.values});
    EXPECT_LE(again.iterations, 1) << text;
    ExpectSolved(made.problem, again, *made.value);
    // What is known is on the boundary, and is moved inside.
    if (!made.known) continue;
    const End of_known = EndOf(made.problem, {.initial = &*made.known});
    EXPECT_LT(of_known.iterations, first.iterations) << text;
    ExpectSolved(made.problem, of_known, *made.value);
  }
}

TEST(InteriorPoint, APointOnTheWayIsAStartFromWhichTheRestIsLeft) {
  const Generated made = Made("random:blocks=8+d4,m=20");
  const int whole = EndOf(made.problem).iterations;
  ASSERT_GT(whole, 6);
  for (const int at : {1, 3, 6}) {
    SolutionValues point;
    const End stopped =
        EndOf(made.problem, {.most_iterations = at,
                             .progress = [&](const Iteration& iteration,
                                             const std::function<SolutionValues()>& values) {
                               EXPECT_LE(iteration.number, at);
                               point = values();
                               return absl::OkStatus();
                             }});
    EXPECT_EQ(stopped.phase, Phase::kTooManyIterations);
    EXPECT_EQ(stopped.iterations, at);
    const End rest = EndOf(made.problem, {.initial = &point});
    EXPECT_LE(rest.iterations, whole - at + 1);
    ExpectSolved(made.problem, rest, *made.value);
  }
}

TEST(InteriorPoint, EachIterationShowsThePointThatItCameTo) {
  std::vector<Iteration> iterations;
  SolutionValues last;
  const Problem problem = Manual();
  const auto solution =
      Solve(problem, {.progress = [&](const Iteration& iteration, const auto& values) {
              iterations.push_back(iteration);
              last = values();
              return absl::OkStatus();
            }});
  ASSERT_TRUE(solution.ok());
  ASSERT_EQ(static_cast<int>(iterations.size()), solution->iterations);
  const Quality shown = iterations.back().quality;
  EXPECT_EQ(shown.gap, solution->quality.gap);
  EXPECT_EQ(shown.mu, solution->quality.mu);
  const Certificate certificate = Certify(problem, last);
  EXPECT_NEAR(shown.mu, certificate.mu, 1e-12);
  EXPECT_NEAR(shown.primal, certificate.primal, 1e-12 * 42);
  EXPECT_NEAR(shown.gap, std::abs(certificate.errors[4]), 1e-12);
  EXPECT_NEAR(shown.dual_error, certificate.errors[0], 1e-12);
  EXPECT_NEAR(shown.primal_error, certificate.errors[2], 1e-12);
}

TEST(Quality, WhatIsNoNumberIsTheLargestError) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((Quality{.primal_error = 1, .dual_error = 3, .gap = 2}).largest_error(), 3);
  EXPECT_TRUE(
      std::isnan((Quality{.primal_error = nan, .dual_error = 1, .gap = 1}).largest_error()));
  EXPECT_TRUE(
      std::isnan((Quality{.primal_error = 1, .dual_error = nan, .gap = 1}).largest_error()));
  EXPECT_TRUE(
      std::isnan((Quality{.primal_error = 1, .dual_error = 1, .gap = nan}).largest_error()));
}

TEST(InteriorPoint, AnErrorOfTheProgressEndsTheRun) {
  const Problem problem = Manual();
  int calls = 0;
  const auto solution =
      Solve(problem, {.progress = [&](const Iteration&, const auto&) -> absl::Status {
              return ++calls == 3 ? absl::DataLossError("full") : absl::OkStatus();
            }});
  EXPECT_EQ(solution.status(), absl::DataLossError("full"));
  EXPECT_EQ(calls, 3);
}

// Of zeros, of negative ones, and of sizes that no method stands: it ends, and says no more than
// is so.
TEST(InteriorPoint, AnyStartEnds) {
  const Problem problem = Manual();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double size : {0.0, -5.0, 1e-300, 1e150, 1e300, 1e308, -1e308, nan}) {
    const SolutionValues initial = {
        .x = {1, 1, 1}, .slack = {{size, 0, 0, size}}, .dual = {{size, 0, 0, size}}};
    const End end = EndOf(problem, {.initial = &initial});
    if (end.phase == Phase::kOptimal) ExpectSolved(problem, end, -41.9);
    EXPECT_NE(end.phase, Phase::kPrimalInfeasible) << size;
    EXPECT_NE(end.phase, Phase::kDualInfeasible) << size;
  }
}

// A block that only F_0 touches: X is -F_0 there. Of it Y comes to nothing.
TEST(InteriorPoint, ABlockWithoutConstraintsIsConstant) {
  Problem problem = Manual();
  problem.blocks.push_back({Shape::kDense, 2});
  problem.blocks.push_back({Shape::kDiagonal, 1});
  problem.matrices[0].push_back({1, {{0, 0, -2.0}, {0, 1, 1.0}, {1, 1, -2.0}}});
  problem.matrices[0].push_back({2, {{0, 0, -1.0}}});
  ExpectSolvedInEachWay(problem, -41.9);
  // Positive there: no X is.
  problem.matrices[0].back().elements[0].value = 1;
  EXPECT_EQ(EndOf(problem).phase, Phase::kPrimalInfeasible);
}

TEST(InteriorPoint, TheLeastProblemsAreSolved) {
  // x >= 3.
  const Problem bound = {.blocks = {{Shape::kDiagonal, 1}},
                         .costs = {2},
                         .matrices = {{{0, {{0, 0, 3}}}}, {{0, {{0, 0, 1}}}}}};
  ExpectSolvedInEachWay(bound, 6);
  // F_0 is empty: x >= 0.
  const Problem zero = {
      .blocks = {{Shape::kDense, 1}}, .costs = {1}, .matrices = {{}, {{0, {{0, 0, 1}}}}}};
  ExpectSolvedInEachWay(zero, 0);
}

}  // namespace
}  // namespace sdpa
