#include "apps/matmul/workers/workers.h"

#include <limits>
#include <numeric>
#include <tuple>

#include "apps/matmul/problem/matrices.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace matmul {
namespace {

constexpr int kDeep = std::numeric_limits<int>::max();

class WithWorkers : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    auto started = StartWorkers(Mode::kReal, GetParam(), 1);
    ASSERT_TRUE(started.ok()) << started.status();
    workers_ = *std::move(started);
  }
  std::unique_ptr<Workers> workers_;
};
INSTANTIATE_TEST_SUITE_P(Workers, WithWorkers, testing::Values(1, 2, 4));

TEST_P(WithWorkers, EveryRuleAndEveryDepthGiveTheProduct) {
  for (const int n : {32, 96, 160}) {
    Matrices matrices(n, 1);
    for (const int depth : {0, 2, kDeep}) {
      for (const StealRule& rule :
           {StealRule{Victims::kRandom, 1}, StealRule{Victims::kDepth, 4}}) {
        matrices.Forget();
        ASSERT_TRUE(workers_->Compute({matrices.Whole(), depth, rule}).ok());
        const absl::Status status = matrices.Check(matrices.Whole(), "it");
        EXPECT_TRUE(status.ok()) << status << " n " << n << ", depth " << depth;
      }
    }
  }
}

TEST_P(WithWorkers, EveryPairOfHalvesIsTwoThreads) {
  Matrices matrices(128, 1);
  // Rows, columns, and then eight cubes of 64: rows and columns of leaves.
  const std::int64_t spawns = 2 + 4 + 8 * (2 + 4);
  EXPECT_EQ(workers_->Compute({matrices.Whole(), kDeep, {}})->work.spawns, spawns);
}

TEST_P(WithWorkers, BelowTheCutoffNoThreadSpawns) {
  Matrices matrices(128, 1);
  EXPECT_EQ(workers_->Compute({matrices.Whole(), 0, {}})->work.spawns, 0);
  EXPECT_EQ(workers_->Compute({matrices.Whole(), 1, {}})->work.spawns, 2);
  EXPECT_EQ(workers_->Compute({matrices.Whole(), 2, {}})->work.spawns, 6);
}

TEST_P(WithWorkers, TheHistogramAddsUpToTheSteals) {
  Matrices matrices(256, 1);
  for (int i = 0; i < 20; ++i) {
    const Work work = workers_->Compute({matrices.Whole(), kDeep, {}})->work;
    EXPECT_EQ(
        std::accumulate(work.steals_by_depth.begin(), work.steals_by_depth.end(), std::int64_t{0}),
        work.steals);
    if (GetParam() == 1) {
      EXPECT_EQ(work.steals, 0);
    }
  }
}

Outcome Simulated(Matrices& matrices, int workers, std::uint64_t seed) {
  auto started = StartWorkers(Mode::kSimulated, workers, 1);
  EXPECT_TRUE(started.ok()) << started.status();
  matrices.Forget();
  const auto outcome = (*started)->Compute({matrices.Whole(), kDeep, {}, seed});
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  const absl::Status status = matrices.Check(matrices.Whole(), "it");
  EXPECT_TRUE(status.ok()) << status;
  return *outcome;
}

TEST(SimulatedWorkersTest, TheSameSeedGivesTheSameTimeAndTheSameSteals) {
  Matrices matrices(256, 1);
  const Outcome one = Simulated(matrices, 8, 5), again = Simulated(matrices, 8, 5);
  EXPECT_EQ(one.seconds, again.seconds);
  EXPECT_EQ(one.work.steals_by_depth, again.work.steals_by_depth);
}

TEST(SimulatedWorkersTest, EveryLeafIsComputedAndThePartsFillTheWorkersTime) {
  Matrices matrices(256, 1);
  const Outcome outcome = Simulated(matrices, 8, 5);
  const lwt::SimulatedTime& time = outcome.work.virtual_time;
  const double leaves = 8 * 8 * 8 * 2.0 * 32 * 32 * 32 / 17.6;
  EXPECT_NEAR(time.computing_ns, leaves, leaves / 50) << "costs vary, in the mean they do not";
  EXPECT_NEAR(time.total_ns(), 8 * outcome.seconds * 1e9, 8 * 2'000)
      << "clocks end within a step of each other";
  EXPECT_GE(time.blocks_from_own_node + time.blocks_from_other_nodes, 3 * 64)
      << "each tile at least once";
}

TEST(SimulatedWorkersTest, AnotherSeedIsAnotherSchedule) {
  Matrices matrices(256, 1);
  EXPECT_NE(Simulated(matrices, 8, 5).seconds, Simulated(matrices, 8, 6).seconds);
}

TEST(SimulatedWorkersTest, NoWorkerIsFasterThanThePapersCores) {
  Matrices matrices(256, 1);
  const double flop = 2.0 * 256 * 256 * 256;
  const double one = Simulated(matrices, 1, 1).seconds, eight = Simulated(matrices, 8, 1).seconds;
  EXPECT_LT(flop / one / 1e9, 17.6 * 1.1) << "the model's costs vary by a tenth";
  EXPECT_GT(one / eight, 2);
  EXPECT_LE(one / eight, 8.5);
}

TEST(WorkersTest, AWorkerThatCannotBeStartedIsAnErrorThatNamesIt) {
  EXPECT_TRUE(absl::IsInvalidArgument(StartWorkers(Mode::kReal, -1, 1).status()));
}

TEST(WorkTest, AddedWorkCanBeTakenAway) {
  Work work;
  work.spawns = 1, work.steals = 2, work.empty = 3, work.lost = 4, work.parks = 5;
  work.steals_by_depth[3] = 2;
  work.virtual_time = {.computing_ns = 1,
                       .fetching_ns = 2,
                       .threads_ns = 3,
                       .stealing_ns = 4,
                       .looking_ns = 5,
                       .skipped_ns = 6,
                       .blocks_from_shared_cache = 7,
                       .blocks_from_own_node = 8,
                       .blocks_from_other_nodes = 9};
  const auto numbers = [](const lwt::SimulatedTime& time) {
    return std::make_tuple(time.computing_ns, time.fetching_ns, time.threads_ns, time.stealing_ns,
                           time.looking_ns, time.skipped_ns, time.blocks_from_shared_cache,
                           time.blocks_from_own_node, time.blocks_from_other_nodes);
  };
  Work twice = work;
  twice += work;
  EXPECT_EQ(std::tie(twice.spawns, twice.steals, twice.empty, twice.lost, twice.parks),
            std::make_tuple(2, 4, 6, 8, 10));
  EXPECT_EQ(twice.steals_by_depth[3], 4);
  EXPECT_EQ(numbers(twice.virtual_time), std::make_tuple(2, 4, 6, 8, 10, 12, 14, 16, 18));
  twice -= work;
  EXPECT_EQ(std::tie(twice.spawns, twice.steals, twice.empty, twice.lost, twice.parks),
            std::make_tuple(1, 2, 3, 4, 5));
  EXPECT_EQ(numbers(twice.virtual_time), numbers(work.virtual_time));
}

}  // namespace
}  // namespace matmul
