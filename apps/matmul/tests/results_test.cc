#include "apps/matmul/run/results.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace matmul {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Row RowOf(Variant variant, StealRule rule, int workers) {
  Row row;
  row.variant = variant;
  row.rule = rule;
  row.n = 768;
  row.workers = workers;
  row.seed = 7;
  row.flop = 1e9;
  row.seconds = {0.5 / workers, 0.5 / workers};
  if (workers > 1 && variant != Variant::kCutoff) {
    row.work.steals = 5;
    row.work.steals_by_depth[0] = 2;
    row.work.steals_by_depth[3] = 3;
  }
  return row;
}

std::vector<Row> OneAndTwoWorkers() {
  std::vector<Row> rows;
  for (const int workers : {1, 2}) {
    rows.push_back(RowOf(Variant::kOriginal, {Victims::kRandom, 1}, workers));
    rows.push_back(RowOf(Variant::kCutoff, {Victims::kRandom, 1}, workers));
    rows.push_back(RowOf(Variant::kDepth, {Victims::kDepth, 8}, workers));
  }
  return rows;
}

TEST(ResultsTest, ARowHasTheKeysOfTheContract) {
  const program::Json row = ToJson(RowOf(Variant::kDepth, {Victims::kDepth, 8}, 2));
  EXPECT_EQ(row["variant"], "depth");
  EXPECT_EQ(row["policy"], "depth");
  EXPECT_EQ(row["candidates"], 8);
  EXPECT_EQ(row["mode"], "real");
  EXPECT_EQ(row["workers"], 2);
  EXPECT_EQ(row["seed"], 7);
  EXPECT_EQ(row["gflop_per_s"], 4.0);
  EXPECT_EQ(row["seconds"], 0.25);
  EXPECT_EQ(row["steals"], 5);
  EXPECT_EQ(row["steals_by_depth"], program::Json({2, 0, 0, 3}));
  EXPECT_FALSE(row.contains("simulated"));
  EXPECT_FALSE(row.contains("ratio_to_cutoff")) << "it was not taken";
  EXPECT_EQ(row["gflop_per_s_q1"], 4.0);
  EXPECT_EQ(row["gflop_per_s_q3"], 4.0);
  EXPECT_EQ(row["disturbed"], false);
}

TEST(ResultsTest, VirtualSecondsAreNeverCalledSeconds) {
  Row row = RowOf(Variant::kOriginal, {}, 32);
  row.mode = Mode::kSimulated;
  const program::Json json = ToJson(row);
  EXPECT_EQ(json["simulated"], true);
  EXPECT_TRUE(json.contains("virtual_seconds"));
  EXPECT_FALSE(json.contains("seconds"));
  EXPECT_FALSE(json.contains("disturbed")) << "other work does not change virtual time";
}

// Two products of 32 simulated workers.
Row Simulated() {
  Row row = RowOf(Variant::kOriginal, {}, 32);
  row.mode = Mode::kSimulated;
  row.work.virtual_time = {.computing_ns = 5000,
                           .fetching_ns = 2500,
                           .threads_ns = 1000,
                           .stealing_ns = 1000,
                           .looking_ns = 500,
                           .blocks_from_shared_cache = 20,
                           .blocks_from_own_node = 40,
                           .blocks_from_other_nodes = 60};
  row.extra_blocks_per_steal = 1.5;
  return row;
}

TEST(ResultsTest, ASimulatedRowTellsWhereTheTimeWent) {
  const program::Json json = ToJson(Simulated());
  EXPECT_EQ(json["virtual_computing_ns"], 5000);
  EXPECT_EQ(json["virtual_fetching_ns"], 2500);
  EXPECT_EQ(json["virtual_threads_ns"], 1000);
  EXPECT_EQ(json["virtual_stealing_ns"], 1000);
  EXPECT_EQ(json["virtual_looking_ns"], 500);
  EXPECT_EQ(json["blocks_from_shared_cache"], 20);
  EXPECT_EQ(json["blocks_from_own_node"], 40);
  EXPECT_EQ(json["blocks_from_other_nodes"], 60);
  EXPECT_EQ(json["virtual_ns_per_steal"], 200.0);
  EXPECT_EQ(json["extra_blocks_per_steal"], 1.5);
  const program::Json real = ToJson(RowOf(Variant::kOriginal, {}, 2));
  EXPECT_FALSE(real.contains("virtual_computing_ns"));
  EXPECT_FALSE(real.contains("blocks_from_own_node"));
}

TEST(ResultsTest, SharesAreOfAllWorkersTimeAndBlocksOfOneProduct) {
  EXPECT_THAT(ToText({Simulated()}, program::Color::kOff),
              HasSubstr("one product, 32 simulated workers:\n"
                        "variant   computing %  fetching %  threads %  stealing %  looking %  "
                        "blocks: shared  own node  others  ns / steal  extra blocks / steal\n"
                        "original        50.00       25.00      10.00       10.00       5.00  "
                        "            10        20      30         200                  1.50\n"));
}

TEST(ResultsTest, ARealStealCostsAtMostWhatWasLost) {
  Row row = RowOf(Variant::kOriginal, {}, 2);
  EXPECT_FALSE(ToJson(row).contains("lost_ns_per_steal"));
  row.lost_ns_per_steal = 12'345.6;
  EXPECT_EQ(ToJson(row)["lost_ns_per_steal"], 12'345.6);
  EXPECT_THAT(ToText({row}, program::Color::kOff),
              HasSubstr("workers  variant   steals  us lost / steal\n"
                        "      2  original     2.5             12.3\n"));
}

TEST(ResultsTest, WhereNothingWasStolenTheListIsEmpty) {
  EXPECT_EQ(ToJson(RowOf(Variant::kCutoff, {}, 2))["steals_by_depth"], program::Json::array());
}

TEST(ResultsTest, Figure3IsATableWithALineANumberOfWorkers) {
  EXPECT_THAT(ToText(OneAndTwoWorkers(), program::Color::kOff),
              HasSubstr("workers  original  cutoff  depth, k = 8\n"
                        "      1       2.0     2.0           2.0\n"
                        "      2       4.0     4.0           4.0\n"));
  EXPECT_THAT(ToText({RowOf(Variant::kOriginal, {}, 1)}, program::Color::kOff),
              Not(HasSubstr("by workers")));
}

TEST(ResultsTest, TheHistogramIsOfOneProductWithTheMostWorkers) {
  EXPECT_THAT(ToText(OneAndTwoWorkers(), program::Color::kOff),
              HasSubstr("by depth, 2 workers:\n"
                        "depth  original  depth, k = 8\n"
                        "    0      1.00          1.00\n"
                        "    1      0.00          0.00\n"
                        "    2      0.00          0.00\n"
                        "    3      1.50          1.50\n"));
}

TEST(ResultsTest, ThePlotHasALineAVariant) {
  const std::string svg = SpeedToSvg(OneAndTwoWorkers());
  for (const char* name : {">original<", ">cutoff<", ">depth, k = 8<"}) {
    EXPECT_THAT(svg, HasSubstr(name));
  }
  EXPECT_THAT(svg, HasSubstr("<polyline"));
}

TEST(ResultsTest, WithOneNumberOfWorkersThePlotIsBars) {
  EXPECT_THAT(SpeedToSvg({RowOf(Variant::kOriginal, {}, 2)}), HasSubstr("<rect"));
}

TEST(ResultsTest, TheHistogramsPlotSaysHowManyWorkersStole) {
  EXPECT_THAT(StealsToSvg(OneAndTwoWorkers()), HasSubstr("by depth, 2 workers"));
  EXPECT_THAT(StealsToSvg({RowOf(Variant::kOriginal, {}, 1)}), HasSubstr("<svg"))
      << "an empty frame where nothing was stolen";
}

}  // namespace
}  // namespace matmul
