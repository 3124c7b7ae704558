// Runs that begin at the solution of another problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/interior_point/initial_point.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/solve/solve.h"

namespace sdpa {
namespace {

Problem Made(const std::string& text) {
  auto generated = Generate(text);
  EXPECT_TRUE(generated.ok()) << generated.status();
  return generated->problem;
}

// The same problem with costs and F_0 that are relatively that different.
Problem NeighborOf(Problem problem, double difference, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> change(-difference, difference);
  for (double& cost : problem.costs) cost *= 1 + change(random);
  for (BlockElements& block : problem.matrices[0]) {
    for (Element& element : block.elements) element.value *= 1 + change(random);
  }
  return problem;
}

std::size_t IterationsOf(const Problem& problem, const Options& options) {
  const auto outcome = Solve(problem, options);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->judgement.status, Status::kOptimal);
  return outcome->iterations.size();
}

TEST(WarmStart, IsNotSlowerThanOneFromFarInside) {
  for (const std::string text :
       {"max-cut:random,n=60", "theta:cycle,n=15", "control:n=4", "random:m=20",
        "truss:rows=3,columns=3", "bisection:random,n=40"}) {
    const Problem problem = Made(text);
    const auto solved = Solve(problem);
    ASSERT_TRUE(solved.ok()) << solved.status();
    for (const double difference : {0.1, 1e-2, 1e-3, 1e-5}) {
      const Problem neighbor = NeighborOf(problem, difference, 1);
      const std::size_t cold = IterationsOf(neighbor, {}),
                        warm = IterationsOf(neighbor, {.initial = &solved->solution});
      EXPECT_LE(warm, cold) << text << ", " << difference;
      if (difference <= 1e-3) {
        EXPECT_LT(warm, cold) << text << ", " << difference;
      }
    }
  }
}

TEST(WarmStart, LetsGoOfAPointThatSaysNothing) {
  const Problem problem = Made("theta:cycle,n=9");
  const std::size_t cold = IterationsOf(problem, {});
  const auto solved = Solve(problem);
  ASSERT_TRUE(solved.ok());
  SolutionValues point = solved->solution;
  for (double& x : point.x) x = -100 * x - 1e3;
  EXPECT_EQ(IterationsOf(problem, {.initial = &point}), cold);
  for (auto& block : point.slack) std::fill(block.begin(), block.end(), 0);
  for (auto& block : point.dual) std::fill(block.begin(), block.end(), 0);
  EXPECT_EQ(IterationsOf(problem, {.initial = &point}), cold);
}

TEST(WarmStart, ARunThatResumesIsTheOneThatWasEnded) {
  const Problem problem = Made("control:n=3");
  SolutionValues at_five;
  const auto whole =
      Solve(problem, {.progress = [&](const Iteration& iteration, const auto& point) {
              if (iteration.number == 5) at_five = point();
              return true;
            }});
  ASSERT_TRUE(whole.ok());
  const auto rest = Solve(problem, {.initial = &at_five, .resumes = true});
  ASSERT_TRUE(rest.ok());
  EXPECT_LE(rest->iterations.size(), whole->iterations.size() - 4);
  EXPECT_EQ(rest->judgement.status, Status::kOptimal);
}

TEST(WarmStart, PairsBeginAtAPointOfPairs) {
  const Problem problem = Made("theta:cycle,n=7");
  const auto solved = Solve(problem, {.precision = Precision::kDoubleDouble, .tolerance = 1e-24});
  ASSERT_TRUE(solved.ok());
  ASSERT_EQ(solved->judgement.status, Status::kOptimal);
  ASSERT_FALSE(solved->solution.low.x.empty());
  const auto again = Solve(
      problem,
      {.precision = Precision::kDoubleDouble, .tolerance = 1e-24, .initial = &solved->solution});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->judgement.status, Status::kOptimal);
  EXPECT_EQ(again->iterations.size(), 0u) << "the second numbers of the pairs are read, too";
}

TEST(MoveInside, MakesTheProductAsLargeAsTheErrors) {
  const auto layout = std::make_shared<const Layout>(std::vector<Block>{{Shape::kDense, 2}});
  const SolutionValues values = {.x = {1}, .slack = {{4, 0, 0, 0}}, .dual = {{0, 0, 0, 2}}};
  Point<double> point = PointOf<double>(layout, values);
  Quality quality = {.primal = 3, .dual = 2, .primal_error = 1e-3, .dual_error = 1e-4, .mu = 0};
  MoveInside(quality, point);
  // 1e-3 (1 + 3 + 2) over the sums of the diagonals.
  EXPECT_DOUBLE_EQ(point.slack.elements(0)[3], 6e-3 / 2);
  EXPECT_DOUBLE_EQ(point.dual.elements(0)[0], 6e-3 / 4);
  EXPECT_DOUBLE_EQ(point.slack.elements(0)[0], 4 + 6e-3 / 2);
  EXPECT_DOUBLE_EQ(point.slack.elements(0)[1], 0);
  EXPECT_GE(Dot(point.slack, point.dual), 6e-3);
  // Far enough inside already.
  const Point<double> before = point;
  quality.mu = 1;
  MoveInside(quality, point);
  EXPECT_EQ(point.slack.elements(0)[0], before.slack.elements(0)[0]);
}

}  // namespace
}  // namespace sdpa
