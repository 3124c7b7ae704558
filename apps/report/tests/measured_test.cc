#include "apps/report/rows/measured.h"

#include "gtest/gtest.h"

namespace report {
namespace {

Json RowOf(double speed, bool is_disturbed) {
  return {{"speed", speed},
          {"speed_q1", speed - 2},
          {"speed_q3", speed + 1},
          {"repetitions", 5},
          {"disturbed", is_disturbed}};
}

TEST(MeasuredTest, TheBestIsOfRowsThatNothingDisturbedAsLongAsThereIsOne) {
  EXPECT_EQ(BestOf({}, "speed"), nullptr);
  const std::vector<Json> mixed = {RowOf(5, false), RowOf(9, true), RowOf(7, false)};
  EXPECT_EQ(BestOf(mixed, "speed"), &mixed[2]);
  const std::vector<Json> all = {RowOf(5, true), RowOf(9, true)};
  EXPECT_EQ(BestOf(all, "speed"), &all[1]);
  EXPECT_EQ(SpreadInWords(all[1], "speed", {}), "quartiles 7.0 – 10.0; † disturbed by other work");
}

TEST(MeasuredTest, AFigureHasItsQuartilesInItsUnit) {
  const Json row = RowOf(5e6, true);
  const Format millions = {.digits = 3, .scale = 1e-6};
  EXPECT_EQ(FigureOf(row, "speed", millions), "5.000 †");
  EXPECT_EQ(QuartilesOf(RowOf(5, false), "speed", {}), "3.0 – 6.0");
  EXPECT_EQ(SpreadInWords(RowOf(5, false), "speed", {}), "quartiles 3.0 – 6.0");
  EXPECT_EQ(FigureOf(row, "other", {}), "");
}

TEST(MeasuredTest, ASingleRepetitionIsSaidToBeOneAndHasNoWhisker) {
  const Json once = {{"speed", 5}, {"repetitions", 1}};
  EXPECT_EQ(QuartilesOf(once, "speed", {}), "once");
  EXPECT_EQ(SpreadInWords(once, "speed", {}), "measured once");
  EXPECT_FALSE(WhiskerOf(once, "speed", 1).has_value());
  EXPECT_EQ(QuartilesOf({{"speed", 5}}, "speed", {}), "") << "of a file that does not say";
}

TEST(MeasuredTest, AWhiskerReachesToTheFigureWhereThatIsTheBest) {
  Json row = RowOf(5, false);
  EXPECT_EQ(WhiskerOf(row, "speed", 2)->low, 6);
  EXPECT_EQ(WhiskerOf(row, "speed", 2)->high, 12);
  row["speed"] = 10;
  EXPECT_EQ(WhiskerOf(row, "speed", 1)->high, 10);
}

}  // namespace
}  // namespace report
