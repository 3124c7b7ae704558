// Problems whose constraints show a face of the cone: what is found, and that the whole problem is
// solved from it.
#include "apps/sdpa/reduce/face.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/certify.h"
#include "apps/sdpa/proof/judge.h"
#include "apps/sdpa/reduce/semidefinite.h"
#include "apps/sdpa/reduce/solve_reduced.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

SparseMatrix Of(const std::vector<Element>& elements, int block = 0) {
  MatrixBuilder builder;
  for (const auto [row, column, value] : elements) builder.Add(block, row, column, value);
  return builder.Build();
}

TEST(RangeIfSemidefinite, HasTheSignAndAVectorForEachRank) {
  const std::vector<Block> blocks = {{Shape::kDense, 3}, {Shape::kDiagonal, 4}};
  double work = 1e6;
  const auto ones = RangeIfSemidefinite(Of({{0, 0, 1}, {0, 2, 1}, {2, 2, 1}}), blocks, work);
  ASSERT_TRUE(ones);
  EXPECT_EQ(ones->sign, 1);
  ASSERT_EQ(ones->vectors.at(0).size(), 1u);
  EXPECT_EQ(ones->vectors.at(0)[0], (std::vector<double>{1, 0, 1}));
  const auto negative = RangeIfSemidefinite(Of({{0, 0, -2}, {1, 1, -3}, {0, 1, 1}}), blocks, work);
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->sign, -1);
  EXPECT_EQ(negative->vectors.at(0).size(), 2u);
  const auto diagonal = RangeIfSemidefinite(Of({{1, 1, 5}, {3, 3, 1}}, 1), blocks, work);
  ASSERT_TRUE(diagonal);
  EXPECT_EQ(diagonal->rows.at(1), (std::vector<int>{1, 3}));
}

TEST(RangeIfSemidefinite, IsNoneOfIndefiniteMatrices) {
  const std::vector<Block> blocks = {{Shape::kDense, 3}, {Shape::kDiagonal, 2}};
  double work = 1e6;
  for (const SparseMatrix& matrix :
       {SparseMatrix(), Of({{0, 1, 1}}), Of({{0, 0, 1}, {1, 1, -1}}),
        Of({{0, 0, 1}, {0, 1, 2}, {1, 1, 1}}), Of({{0, 0, 1}, {1, 2, 1}}),
        Of({{0, 0, 1}, {0, 1, 1 + 1e-9}, {1, 1, 1}})}) {
    EXPECT_FALSE(RangeIfSemidefinite(matrix, blocks, work));
  }
}

TEST(Face, IsNoneWhereNoConstraintShowsOne) {
  for (const std::string text : {"theta:petersen", "max-cut:cycle,n=5", "control:n=3"}) {
    EXPECT_FALSE(Face::Of(Generate(text)->problem)) << text;
  }
}

TEST(Face, TakesARowForEachVectorAndTheConstraintWithIt) {
  const Problem problem = Generate("bisection:petersen")->problem;
  const auto face = Face::Of(problem);
  ASSERT_TRUE(face);
  EXPECT_EQ(face->reduced().blocks, (std::vector<Block>{{Shape::kDense, 9}}));
  EXPECT_EQ(face->reduced().constraints(), 10u);
  ASSERT_EQ(face->gone().size(), 1u);
  EXPECT_EQ(face->gone()[0].constraint, 10u);
  EXPECT_EQ(face->gone()[0].sign, 1);
}

// Y_11 = 0 takes the first row, and then -5 Y_11 + Y_22 - 2 Y_23 + Y_33 = 0 a second one.
Problem InTwoSteps() {
  return {.blocks = {{Shape::kDense, 4}, {Shape::kDiagonal, 2}},
          .costs = {0, 0, 1, 1},
          .matrices = {Of({{2, 2, 1}, {3, 3, 2}, {2, 3, 1}}), Of({{0, 0, 1}}),
                       Of({{0, 0, -5}, {1, 1, 1}, {1, 2, -1}, {2, 2, 1}}),
                       Of({{1, 1, 1}, {2, 2, 1}, {3, 3, 1}}), Of({{0, 0, 1}, {1, 1, 1}}, 1)}};
}

// A value: how a run on faces ended.
struct End {
  Phase phase = Phase::kStalled;
  SolutionValues values;
};

End EndOf(const Problem& problem, const SolverOptions& options = {}) {
  taskrt::RuntimeOptions of_runtime;
  of_runtime.pool.workers = 2;
  auto runtime = taskrt::Runtime::Create(std::move(of_runtime));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  const auto solution = (*runtime)->Run(
      [&](taskrt::Runtime& rt) { return SolveReduced<double>(rt, problem, options); });
  EXPECT_TRUE(solution.ok()) << solution.status();
  return {solution->phase, ValuesOf(solution->point)};
}

TEST(SolveReduced, FindsTheKnownValuesOfProblemsWithoutInterior) {
  for (const std::string text :
       {"bisection:petersen", "bisection:cycle,n=8", "bisection:cycle,n=5"}) {
    const Generated made = *Generate(text);
    const End end = EndOf(made.problem);
    const Judgement judgement = Judge(made.problem, end.values, end.phase, 1e-7);
    EXPECT_EQ(judgement.status, Status::kOptimal) << text;
    EXPECT_NEAR(judgement.certificate.dual, *made.value, 1e-6 * (1 - *made.value)) << text;
  }
}

TEST(SolveReduced, GoesFromFaceToFace) {
  const Problem problem = InTwoSteps();
  ASSERT_TRUE(Face::Of(problem));
  ASSERT_TRUE(Face::Of(Face::Of(problem)->reduced()));
  const End end = EndOf(problem);
  const Judgement judgement = Judge(problem, end.values, end.phase, 1e-7);
  EXPECT_EQ(judgement.status, Status::kOptimal);
  // Rows 2 and 3 are the same, z: the largest z^2 + 2 y^2 + 2 z y where 2 z^2 + y^2 = 1.
  const double a = 0.5, b = 2, c = 1 / std::sqrt(2.0);
  const double value = (a + b) / 2 + std::sqrt((a - b) * (a - b) / 4 + c * c);
  EXPECT_NEAR(judgement.certificate.dual, value, 1e-6);
  EXPECT_EQ(end.values.dual[0][0], 0);
}

TEST(SolveReduced, EachPointOnTheWayIsOneOfTheWholeProblem) {
  const Problem problem = Generate("bisection:n=12,edges=30")->problem;
  SolutionValues last;
  const End first = EndOf(
      problem, {.most_iterations = 5,
                .progress = [&](const Iteration&, const std::function<SolutionValues()>& values) {
                  last = values();
                  return absl::OkStatus();
                }});
  EXPECT_EQ(first.phase, Phase::kTooManyIterations);
  ASSERT_EQ(last.x.size(), problem.constraints());
  EXPECT_LT(Certify(problem, last).errors[2], 1e-12) << "X is what x makes it";
  int iterations = 0;
  const End rest =
      EndOf(problem, {.initial = &last, .progress = [&](const Iteration&, const auto&) {
                        ++iterations;
                        return absl::OkStatus();
                      }});
  EXPECT_EQ(Judge(problem, rest.values, rest.phase, 1e-7).status, Status::kOptimal);
  EXPECT_LT(iterations, 12);
}

TEST(Face, IsNoneWhereNothingWouldBeLeft) {
  // Y = 0.
  const Problem problem = {.blocks = {{Shape::kDense, 2}},
                           .costs = {0},
                           .matrices = {Of({{0, 0, 1}}), Of({{0, 0, 1}, {1, 1, 1}})}};
  EXPECT_FALSE(Face::Of(problem));
}

}  // namespace
}  // namespace sdpa
