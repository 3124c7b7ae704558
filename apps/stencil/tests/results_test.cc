#include "apps/stencil/results.h"

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
  EXPECT_THAT(text, HasSubstr("A1p             7      2        1         1.5    2.000"));
  EXPECT_THAT(text, HasSubstr("A3p             7      2        1         3.0    1.000"));
}

TEST(Results, AWrongAnswerIsAnError) {
  Row row = Rows().front();
  EXPECT_TRUE(CheckAnswer(row).ok());
  row.max_abs_error = 1e-17;
  EXPECT_THAT(std::string(CheckAnswer(row).message()), HasSubstr("A1p is wrong"));
}

TEST(SplitPlot, PiecesFollowEachOtherAndAddUpToTheWhole) {
  const std::string svg = SplitToSvg(Rows());
  // Two seconds reach to the right end: a second is 290 wide.
  EXPECT_THAT(svg, HasSubstr("<rect x=\"110.0\" y=\"66.0\" width=\"290.0\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"400.0\" y=\"66.0\" width=\"72.5\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"472.5\" y=\"66.0\" width=\"145.0\""));
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
