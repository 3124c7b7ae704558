#include "apps/stencil/run/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stencil {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Row> Rows() {
  Row row = {.algorithm = "A1p", .points = 7, .ranks = 2, .threads = 1, .page_bytes = 4096};
  row.updates = 3e6;
  row.seconds = 2;
  row.compute_seconds = 1;
  row.preload_seconds = 0.25;
  row.barrier_seconds = 0.5;
  row.pages_fetched = 12;
  Row faster = row;
  faster.algorithm = "A3p";
  faster.seconds = 1;
  return {row, faster};
}

TEST(Results, ARowHasWhatOthersReadOfIt) {
  const program::Json json = ToJson(Rows().front());
  for (const char* key :
       {"algorithm", "points", "ranks", "threads", "updates_per_s", "compute_seconds",
        "preload_seconds", "barrier_seconds", "faults", "pages_fetched", "max_abs_error"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["updates_per_s"], 1.5e6);
  EXPECT_EQ(json["page_bytes"], 4096);
  EXPECT_FALSE(ToJson({.seconds = 1}).contains("page_bytes")) << "message passing has none";
}

TEST(Results, TheTableHasALineARow) {
  const std::string text = ToText(Rows(), program::Color::kOff);
  EXPECT_THAT(text,
              HasSubstr("A1p             7      2        1         1.5                 2.000"));
  EXPECT_THAT(text,
              HasSubstr("A3p             7      2        1         3.0                 1.000"));
}

// A row an algorithm with these times.
std::vector<Row> Repetition(double a1p, double a3p) {
  std::vector<Row> rows = Rows();
  rows[0].seconds = a1p;
  rows[1].seconds = a3p;
  rows[1].barrier_seconds = a3p / 2;
  return rows;
}

TEST(Results, OfSeveralRepetitionsTheOneInTheMiddleIsShownWithItsParts) {
  const std::vector<Row> rows =
      MiddleRows({Repetition(2, 1), Repetition(2.2, 1.2), Repetition(2.1, 1.1)});
  EXPECT_EQ(rows[1].seconds, 1.1);
  EXPECT_EQ(rows[1].barrier_seconds, 0.55);
  const program::Json json = ToJson(rows[1]);
  EXPECT_EQ(json["repetitions"], 3);
  EXPECT_LT(json["updates_per_s_q1"], json["updates_per_s"]);
  EXPECT_GT(json["updates_per_s_q3"], json["updates_per_s"]);
  EXPECT_NEAR(json["ratio_to_a1p"], 2.1 / 1.1, 1e-9);
  EXPECT_EQ(json["disturbed"], false);
  EXPECT_THAT(ToText(rows, program::Color::kOff), Not(HasSubstr("†")));
}

TEST(Results, ARowWhoseRepetitionsAreFarApartHasADagger) {
  const std::vector<Row> rows = MiddleRows({Repetition(2, 1), Repetition(2, 2), Repetition(2, 3)});
  EXPECT_FALSE(rows[0].is_disturbed);
  EXPECT_TRUE(rows[1].is_disturbed);
  EXPECT_THAT(ToText(rows, program::Color::kOff), HasSubstr("† disturbed by other work"));
}

TEST(Results, ASingleRepetitionHasNoSpread) {
  const std::vector<Row> rows = MiddleRows({Repetition(2, 1)});
  const program::Json json = ToJson(rows[1]);
  EXPECT_EQ(json["repetitions"], 1);
  EXPECT_EQ(json["ratio_to_a1p"], 2);
  EXPECT_FALSE(json.contains("updates_per_s_q1"));
  EXPECT_FALSE(json.contains("disturbed"));
}

TEST(Results, AWrongAnswerIsAnError) {
  Row row = Rows().front();
  EXPECT_TRUE(CheckAnswer(row).ok());
  row.max_abs_error = 1e-17;
  EXPECT_THAT(std::string(CheckAnswer(row).message()), HasSubstr("A1p is wrong"));
}

TEST(SplitPlot, PiecesFollowEachOtherAndAddUpToTheWhole) {
  const std::string svg = SplitToSvg(Rows());
  // Two seconds reach to the right end: a second is 224 wide.
  EXPECT_THAT(svg, HasSubstr("<rect x=\"96.0\" y=\"64.0\" width=\"224.0\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"320.0\" y=\"64.0\" width=\"56.0\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"376.0\" y=\"64.0\" width=\"112.0\""));
  EXPECT_THAT(svg, HasSubstr("<title>A1p, rest: 0.25 s</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>A3p, rest: 0 s</title>")) << "parts of another rank's time";
}

TEST(SplitPlot, ANameCannotBecomeMarkup) {
  std::vector<Row> rows = Rows();
  rows.front().algorithm = "<b>";
  EXPECT_THAT(SplitToSvg(rows), Not(HasSubstr("<b>")));
}

TEST(SpeedPlot, AnAlgorithmIsALine) {
  std::vector<Row> rows = Rows();
  rows.push_back(rows.front());
  rows.back().threads = 2;
  const std::string svg = SpeedToSvg(rows);
  EXPECT_THAT(svg, HasSubstr("A1p, threads of each rank 2: 1.5 Mupdates/s"));
  EXPECT_THAT(svg, HasSubstr("A3p, threads of each rank 1: 3 Mupdates/s"));
}

TEST(Threads, RanksShareTheMachineWhereTheyAreNotCounted) {
  const auto topology = topo::ThisMachine();
  ASSERT_TRUE(topology.ok()) << topology.status();
  const auto counts = [&](const std::string& threads, int ranks) {
    Flags flags;
    flags.threads = threads;
    return ThreadCounts(flags, *topology, ranks).value_or(std::vector<int>{});
  };
  EXPECT_EQ(counts("", 1), std::vector{topology->default_threads()});
  EXPECT_EQ(counts("", 100'000), std::vector{1});
  EXPECT_EQ(counts("all", 100'000), std::vector{1});
  EXPECT_EQ(counts("all", 1).back(), topology->default_threads());
  EXPECT_EQ(counts("3,1", 2), (std::vector{1, 3}));
  EXPECT_TRUE(counts("some", 1).empty());
}

}  // namespace
}  // namespace stencil
