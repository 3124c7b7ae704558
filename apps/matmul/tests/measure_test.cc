#include "apps/matmul/measure/measure.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace matmul {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::SizeIs;

Options Small() {
  Options options;
  options.n = 128;
  options.repetitions = 3;
  options.candidates = {2, 4};
  return options;
}

TEST(PlanRowsTest, DepthHasARowForEachNumberOfCandidates) {
  const std::vector<Row> rows = PlanRows(Small(), 2);
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_EQ(rows[0].variant, Variant::kOriginal);
  EXPECT_EQ(rows[0].rule, (StealRule{Victims::kRandom, 1}));
  EXPECT_EQ(rows[2].rule, (StealRule{Victims::kNone, 0}));
  EXPECT_EQ(rows[3].rule, (StealRule{Victims::kDepth, 2}));
  EXPECT_EQ(rows[4].rule, (StealRule{Victims::kDepth, 4}));
}

TEST(PlanRowsTest, TheLimitStandsBesideOneRealWorkerOnly) {
  Options options = Small();
  options.variants = {Variant::kLimit};
  EXPECT_THAT(PlanRows(options, 1), SizeIs(1));
  EXPECT_THAT(PlanRows(options, 2), SizeIs(0));
  options.mode = Mode::kSimulated;
  EXPECT_THAT(PlanRows(options, 1), SizeIs(0));
}

TEST(MeasureTest, EveryRowHasATimeForEachRepetitionAndASpeed) {
  Options options = Small();
  options.variants.push_back(Variant::kLimit);
  Matrices matrices(options.n, 1);
  const auto rows = Measure(options, 1, matrices, [](const std::string&) {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_THAT(*rows, SizeIs(6));
  for (const Row& row : *rows) {
    EXPECT_THAT(row.seconds, SizeIs(3));
    EXPECT_THAT(row.seconds, Each(Gt(0)));
    EXPECT_GT(row.gflop_per_s(), 0);
  }
}

TEST(MeasureTest, IdealIsTheSpeedOfOneTimesTheWorkers) {
  Options options = Small();
  options.variants = {Variant::kIdeal};
  Matrices matrices(options.n, 1);
  const auto rows = Measure(options, 4, matrices, [](const std::string&) {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->front().flop, 2.0 * 128 * 128 * 128) << "a quarter's, four times";
  EXPECT_EQ(rows->front().work.spawns, 0);
}

TEST(MeasureTest, CutoffIsComparedWithItself) {
  Matrices matrices(128, 1);
  const auto rows = Measure(Small(), 2, matrices, [](const std::string&) {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)[1].ratio_to_cutoff.median, 1);
  EXPECT_GT((*rows)[0].ratio_to_cutoff.median, 0);
}

TEST(RowTest, FiguresAreOfOneRepetitionInTheMean) {
  Row row;
  row.flop = 1e9;
  row.seconds = {1, 0.25, 0.5};
  row.work.steals = 6;
  row.work.steals_by_depth[2] = 3;
  EXPECT_EQ(row.gflop_per_s(), 2);
  EXPECT_EQ(row.steals_each(), 2);
  EXPECT_EQ(row.steals_each_at(2), 1);
  EXPECT_EQ(row.deepest_steal(), 2);
  EXPECT_EQ(Row().deepest_steal(), -1);
}

}  // namespace
}  // namespace matmul
