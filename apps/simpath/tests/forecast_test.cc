#include "apps/simpath/frontier/forecast.h"

#include <gtest/gtest.h>

#include <vector>

#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"
#include "apps/simpath/frontier/states_ahead.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"

namespace simpath {
namespace {

std::vector<Done> StepsOf(const Plan& plan) {
  std::vector<Done> steps;
  const auto count = CountSequentially(
      plan, {.progress = [&](const Done& done) { steps.push_back(done); }, .checkpoint = nullptr});
  EXPECT_TRUE(count.ok()) << count.status();
  return steps;
}

TEST(ForecastStates, HasTheStatesOfTheCount) {
  Problem weighted = *MakeProblem(King(4), 0, 15);
  for (std::size_t i = 0; i < weighted.edges.size(); ++i) {
    weighted.weights.push_back(i % 2 == 0 ? Count(3) : Count(~std::uint64_t{0}) * 12345);
  }
  for (const Problem& problem : {*MakeProblem(Grid(8), 0, 80), *MakeProblem(Complete(8), 0, 7),
                                 *MakeProblem(Hypercube(4), 0, 15), weighted}) {
    const Plan plan = MakePlan(problem);
    const std::vector<Done> steps = StepsOf(plan);
    const auto levels = ForecastStates(plan);
    ASSERT_TRUE(levels.ok()) << levels.status();
    ASSERT_EQ(levels->size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ((*levels)[i].step, steps[i].step);
      EXPECT_EQ((*levels)[i].states, steps[i].states);
      EXPECT_GE((*levels)[i].bytes, steps[i].states * 16);
    }
  }
}

// The only state between two rungs but the last has 2^(rungs before) ways or about that: paths that
// are there already, above or below.
TEST(ForecastStates, KnowsHowLargeCountsAre) {
  Count power = 1;
  for (int i = 0; i < 300; ++i) power = power * 2;
  const auto levels = ForecastStates(MakePlan(*MakeProblem(Ladder(300), 0, 598)));
  ASSERT_TRUE(levels.ok());
  int most = 0;
  for (const LevelForecast& level : *levels) most = std::max(most, level.count_bits);
  EXPECT_NEAR(most, power.bits(), 3);
}

// One way at each step.
TEST(ForecastStates, RoundsNoCountUpThatItKnows) {
  graph::EdgeList path = Graph(100, {});
  for (graph::Vertex i = 0; i + 1 < 100; ++i) path.edges.push_back({i, i + 1});
  const auto levels = ForecastStates(MakePlan(*MakeProblem(path, 0, 99)));
  ASSERT_TRUE(levels.ok());
  for (const LevelForecast& level : *levels) EXPECT_LE(level.count_bits, 1) << level.step;
}

TEST(ForecastStates, ThatNeedTooMuchAreRefused) {
  const Plan plan = MakePlan(*MakeProblem(Grid(9), 0, 99));
  EXPECT_TRUE(absl::IsResourceExhausted(
      ForecastStates(plan, {.memory_limit = 100'000, .progress = {}, .checkpoint = nullptr})
          .status()));
}

TEST(StatesAhead, AreAllWhenNothingIsDoneAndNoneAtTheEnd) {
  const Plan plan = MakePlan(*MakeProblem(Grid(8), 0, 80));
  const std::vector<Done> steps = StepsOf(plan);
  StatesAhead ahead(plan.widths);
  EXPECT_EQ(ahead.ShareDone(), 0);
  for (const Done& done : steps) {
    ahead.Add(done.step, done.states);
    // Once the frontier has its width, a grid's states are as many at each step.
    const double share =
        static_cast<double>(done.step + 1) / static_cast<double>(plan.steps.size());
    if (share > 0.3) {
      EXPECT_NEAR(ahead.ShareDone(), share, 0.2) << done.step;
    }
  }
  EXPECT_EQ(ahead.ShareDone(), 1);

  StatesAhead resumed(plan.widths);
  resumed.Add(plan.steps.size() / 2, 1000);
  EXPECT_LT(resumed.ShareDone(), 0.05) << "what an earlier run has done is not this one's";
}

}  // namespace
}  // namespace simpath
