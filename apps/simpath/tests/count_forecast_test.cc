// Forecasts of counts against the counts themselves.
#include "apps/simpath/forecast/count_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "apps/simpath/forecast/grid_forecast.h"
#include "apps/simpath/forecast/path_samples.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/order/order.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"

namespace simpath {
namespace {

Problem Corners(const graph::EdgeList& list) { return *MakeProblem(list, 0, list.vertices - 1); }

double StatesOf(const std::vector<LevelForecast>& levels) {
  double states = 0;
  for (const LevelForecast& level : levels) states += static_cast<double>(level.states);
  return states;
}

std::size_t MostOf(const std::vector<LevelForecast>& levels) {
  std::size_t most = 0;
  for (const LevelForecast& level : levels) most = std::max(most, level.states);
  return most;
}

TEST(GridForecast, BoundsTheStatesOfEachStepAndIsReachedInTheMiddle) {
  for (int cells = 3; cells <= 9; ++cells) {
    const auto made = *ForecastStates(MakePlan(Corners(Grid(cells))));
    const std::vector<LevelForecast> formula = ForecastGridByFormula(cells);
    ASSERT_GE(formula.size(), made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      EXPECT_LE(made[i].states, formula[i].states) << cells << " cells, step " << i;
    }
    EXPECT_EQ(MostOf(made), MostOf(formula)) << cells;
    EXPECT_GE(StatesOf(made), 0.5 * StatesOf(formula)) << cells;
  }
}

TEST(CountForecast, IsExactWhereThereAreFewStates) {
  const Problem problem = Corners(King(5));
  const CountForecast forecast = *ForecastCount(problem, 1'000'000);
  EXPECT_EQ(forecast.exact, forecast.levels.size());
  EXPECT_EQ(forecast.factor, 1);
  const auto made = *ForecastStates(MakePlan(problem));
  ASSERT_EQ(forecast.levels.size(), made.size());
  EXPECT_EQ(StatesOf(forecast.levels), StatesOf(made));
}

TEST(CountForecast, IsHalfToTwiceTheStatesWhereMostAreNotMade) {
  for (const graph::EdgeList& list : {King(7), King(8), Grid(9), Grid(10)}) {
    const Problem problem = Ordered(Corners(list), Order::kBest);
    const double made = StatesOf(*ForecastStates(MakePlan(problem)));
    const CountForecast forecast = *ForecastCount(problem, static_cast<std::uint64_t>(made / 10));
    EXPECT_LT(forecast.exact, forecast.levels.size());
    EXPECT_EQ(forecast.levels.size(), MakePlan(problem).stages.size());
    const double factor = StatesOf(forecast.levels) / made;
    EXPECT_GT(factor, 0.5);
    EXPECT_LT(factor, 2);
    EXPECT_GT(forecast.factor, 1);
  }
}

void ExpectAbout(double paths, const PathSamples& samples) {
  ASSERT_GT(samples.samples, 10u);
  EXPECT_LT(samples.relative_error, 0.2);
  EXPECT_NEAR(std::exp2(samples.log2_paths) / paths, 1, 4 * samples.relative_error);
}

TEST(PathSamples, EstimateTheNumberOfPathsWithinTheirError) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    ExpectAbout(109601, SamplePaths(Corners(Complete(10)), seed, 3'000'000));
    ExpectAbout(std::stod(kGridPaths[4]), SamplePaths(Corners(Grid(5)), seed, 3'000'000));
    ExpectAbout(235, SamplePaths(Corners(King(3)), seed, 300'000));
  }
}

TEST(PathSamples, AreExactOfOnePathAndNoneWhereThereIsNoPath) {
  const PathSamples line = SamplePaths(Corners(Graph(3, {{0, 1}, {1, 2}})), 1, 10);
  EXPECT_EQ(line.log2_paths, 0);
  EXPECT_EQ(line.relative_error, 0);
  EXPECT_EQ(SamplePaths(Corners(Graph(4, {{0, 1}, {2, 3}})), 1, 10).samples, 0u);
}

TEST(PathSamples, AreTheSameForASeed) {
  const auto sample = [](std::uint64_t seed) {
    return SamplePaths(Corners(Grid(6)), seed, 100'000).log2_paths;
  };
  EXPECT_EQ(sample(5), sample(5));
  EXPECT_NE(sample(5), sample(6));
}

}  // namespace
}  // namespace simpath
