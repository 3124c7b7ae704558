#include "apps/matmul/measure/steal_cost.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace matmul {
namespace {

using ::testing::Optional;

// Two repetitions.
Row RowOf(Mode mode, Variant variant, int workers, double seconds, std::int64_t steals) {
  Row row;
  row.mode = mode;
  row.variant = variant;
  row.workers = workers;
  row.seconds = {seconds, seconds};
  row.work.steals = steals;
  return row;
}

TEST(StealCostTest, RealStealsCostAtMostWhatAllWorkersTogetherLose) {
  std::vector<Row> rows = {RowOf(Mode::kReal, Variant::kOriginal, 1, 1.0, 0),
                           RowOf(Mode::kReal, Variant::kOriginal, 2, 0.75, 10),
                           RowOf(Mode::kReal, Variant::kCutoff, 2, 0.75, 10)};
  TakeStealCosts(rows);
  EXPECT_EQ(rows[0].lost_ns_per_steal, std::nullopt) << "one worker robs nobody";
  EXPECT_THAT(rows[1].lost_ns_per_steal, Optional(0.5e9 / 5));
  EXPECT_EQ(rows[2].lost_ns_per_steal, std::nullopt) << "cutoff with one worker was not measured";
}

TEST(StealCostTest, AnotherNumberOfCandidatesIsAnotherVariant) {
  std::vector<Row> rows = {RowOf(Mode::kReal, Variant::kDepth, 1, 1.0, 0),
                           RowOf(Mode::kReal, Variant::kDepth, 2, 0.5, 2)};
  rows[1].rule = {Victims::kDepth, 8};
  TakeStealCosts(rows);
  EXPECT_EQ(rows[1].lost_ns_per_steal, std::nullopt);
}

TEST(StealCostTest, SimulatedStealsCostTheBlocksThatCutoffDoesNotFetch) {
  std::vector<Row> rows = {RowOf(Mode::kSimulated, Variant::kCutoff, 8, 1.0, 4),
                           RowOf(Mode::kSimulated, Variant::kOriginal, 8, 1.0, 20),
                           RowOf(Mode::kSimulated, Variant::kOriginal, 4, 1.0, 20)};
  rows[0].work.virtual_time.blocks_from_own_node = 100;
  rows[1].work.virtual_time.blocks_from_own_node = 100;
  rows[1].work.virtual_time.blocks_from_shared_cache = 30;
  rows[1].work.virtual_time.blocks_from_other_nodes = 10;
  TakeStealCosts(rows);
  EXPECT_THAT(rows[1].extra_blocks_per_steal, Optional(2.0));
  EXPECT_EQ(rows[0].extra_blocks_per_steal, std::nullopt) << "it is cutoff";
  EXPECT_EQ(rows[2].extra_blocks_per_steal, std::nullopt) << "no cutoff with four workers";
  EXPECT_EQ(rows[1].lost_ns_per_steal, std::nullopt);
}

TEST(StealCostTest, RowsOfTheIdealAndRowsWithoutStealsHaveNone) {
  std::vector<Row> rows = {RowOf(Mode::kReal, Variant::kIdeal, 1, 1.0, 0),
                           RowOf(Mode::kReal, Variant::kIdeal, 2, 1.0, 2),
                           RowOf(Mode::kReal, Variant::kOriginal, 1, 1.0, 0),
                           RowOf(Mode::kReal, Variant::kOriginal, 2, 1.0, 0)};
  TakeStealCosts(rows);
  for (const Row& row : rows) EXPECT_EQ(row.lost_ns_per_steal, std::nullopt);
}

}  // namespace
}  // namespace matmul
