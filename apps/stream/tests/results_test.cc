#include "apps/stream/run/results.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stream {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Row RowOf(Variant variant, topo::Policy policy, int threads, double seconds) {
  Row row;
  row.variant = variant;
  row.policy = policy;
  row.threads = threads;
  row.elements = 1'000'000'000;
  row.seconds = {seconds};
  row.code = "avx2";
  row.store = variant == Variant::kPlain ? Store::kOrdinary : Store::kNonTemporal;
  if (variant == Variant::kTuned) {
    row.ratio_to_plain = {1.5, 1.6, 1.7};
    row.ratio_to_limit = {0.97, 0.98, 0.99};
  }
  return row;
}

std::vector<Row> TwoPoliciesOneAndTwoThreads() {
  std::vector<Row> rows;
  for (const topo::Policy policy : {topo::Policy::kNone, topo::Policy::kScatter}) {
    for (const int threads : {1, 2}) {
      for (const Variant variant : {Variant::kTuned, Variant::kPlain, Variant::kLimit}) {
        rows.push_back(RowOf(variant, policy, threads, 1.0 / threads));
      }
    }
  }
  return rows;
}

TEST(ResultsTest, ARowHasTheKeysOfTheContract) {
  const program::Json row = ToJson(RowOf(Variant::kTuned, topo::Policy::kCompactPlus, 2, 0.5));
  EXPECT_EQ(row["kernel"], "triad");
  EXPECT_EQ(row["policy"], "compact+");
  EXPECT_EQ(row["threads"], 2);
  EXPECT_EQ(row["placement"], "local");
  EXPECT_EQ(row["gb_per_s"], 48.0);
  EXPECT_EQ(row["gb_per_s_moved"], 48.0);
  EXPECT_EQ(row["variant"], "tuned");
  EXPECT_EQ(row["store"], "non-temporal");
  EXPECT_EQ(row["runtime"], "openmp");
  EXPECT_EQ(row["pages"], "huge");
  EXPECT_EQ(row["seconds_min"], 0.5);
  EXPECT_EQ(row["seconds_median"], 0.5);
  EXPECT_EQ(row["ratio_to_plain"], 1.6);
  EXPECT_EQ(row["ratio_to_limit"], 0.98);
  EXPECT_EQ(row["ratio_to_limit_q1"], 0.97);
  EXPECT_EQ(row["ratio_to_limit_q3"], 0.99);
  EXPECT_EQ(row["gb_per_s_q1"], 48.0);
  EXPECT_EQ(row["gb_per_s_q3"], 48.0);
  EXPECT_EQ(row["repetitions"], 1);
  EXPECT_EQ(row["disturbed"], false);
}

TEST(ResultsTest, ARatioThatWasNotTakenIsNotThere) {
  const program::Json row = ToJson(RowOf(Variant::kPlain, topo::Policy::kNone, 1, 1));
  EXPECT_FALSE(row.contains("ratio_to_plain"));
  EXPECT_EQ(row["gb_per_s_moved"], 32.0);
}

TEST(ResultsTest, TriadIsComparedWithItsGoals) {
  const std::string text = ToText(TwoPoliciesOneAndTwoThreads(), program::Color::kOff);
  EXPECT_THAT(
      text,
      HasSubstr("Triad tuned / plain = 1.60 (1.50 – 1.70; goal 1.50) with 2 threads, scatter\n"));
  EXPECT_THAT(
      text,
      HasSubstr("Triad tuned / limit = 0.98 (0.97 – 0.99; goal 0.95) with 2 threads, scatter\n"));
}

TEST(ResultsTest, Figure8IsATableWithALineAThreadCount) {
  EXPECT_THAT(ToText(TwoPoliciesOneAndTwoThreads(), program::Color::kOff),
              HasSubstr("threads  none  scatter\n"
                        "      1  24.0     24.0\n"
                        "      2  48.0     48.0\n"));
  const std::vector<Row> one = {RowOf(Variant::kTuned, topo::Policy::kNone, 1, 1)};
  EXPECT_THAT(ToText(one, program::Color::kOff), Not(HasSubstr("by policy")));
}

TEST(ResultsTest, ThePlotHasALineAPolicyAndTheTwoToCompareWith) {
  const std::string svg = ToSvg(TwoPoliciesOneAndTwoThreads());
  for (const char* name : {">none<", ">scatter<", ">plain (none)<", ">limit (none)<"}) {
    EXPECT_THAT(svg, HasSubstr(name));
  }
}

TEST(ResultsTest, WithOneThreadCountThePlotIsBars) {
  const std::string svg = ToSvg({RowOf(Variant::kTuned, topo::Policy::kNone, 2, 1)});
  EXPECT_THAT(svg, HasSubstr("STREAM with 2 threads"));
  EXPECT_THAT(svg, HasSubstr("<rect"));
}

}  // namespace
}  // namespace stream
