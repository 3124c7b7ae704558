#include "apps/program/spread.h"

#include "gtest/gtest.h"

namespace program {
namespace {

TEST(SpreadTest, QuartilesAreValuesOrLieBetweenTwo) {
  const Spread five = SpreadOf({5, 1, 4, 2, 3});
  EXPECT_EQ(five.q1, 2);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.q3, 4);
  const Spread four = SpreadOf({4, 1, 3, 2});
  EXPECT_EQ(four.q1, 1.75);
  EXPECT_EQ(four.median, 2.5);
  EXPECT_EQ(four.q3, 3.25);
  const Spread one = SpreadOf({7});
  EXPECT_EQ(one.q1, 7);
  EXPECT_EQ(one.q3, 7);
}

TEST(SpreadTest, TheMedianIsTheMiddleOneOrTheMeanOfTheTwo) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({7}), 7);
}

TEST(SpreadTest, TheMiddleOneIsARepetitionItself) {
  EXPECT_EQ(MiddleOf({5, 1, 4}), 2u);
  EXPECT_EQ(MiddleOf({5, 1}), 0u);
  EXPECT_EQ(MiddleOf({7}), 0u);
}

TEST(SpreadTest, ASlowRepetitionIsALowSpeed) {
  const Spread speeds = SpeedsOf(12, {4, 3, 2});
  EXPECT_EQ(speeds.q1, 3.5);
  EXPECT_EQ(speeds.median, 4);
  EXPECT_EQ(speeds.q3, 5);
}

TEST(SpreadTest, RatiosAreTakenWithinARepetition) {
  // Medians would be 20 / 10 = 2; each repetition says 4, 2, 1.
  EXPECT_EQ(RatiosOf({40, 20, 10}, {10, 10, 10}).median, 2);
  EXPECT_EQ(RatiosOf({40, 20, 10}, {10, 10, 10}).q1, 1.5);
  // One disturbed repetition, in which both took ten times as long.
  EXPECT_EQ(RatiosOf({3, 30, 3}, {2, 20, 2}).median, 1.5);
}

TEST(DisturbedTest, OneSlowRepetitionOfTenDisturbsNothingAndFourDo) {
  EXPECT_FALSE(IsDisturbed(SpreadOf({10, 10, 10, 10, 10, 10, 10, 10, 10, 90})));
  EXPECT_TRUE(IsDisturbed(SpreadOf({10, 10, 10, 10, 10, 10, 90, 90, 90, 90})));
  EXPECT_FALSE(IsDisturbed(SpreadOf({10})));
}

TEST(DisturbedTest, TheBoundIsAQuarterOfTheMedian) {
  EXPECT_FALSE(IsDisturbed({.q1 = 9, .median = 10, .q3 = 11.5}));
  EXPECT_TRUE(IsDisturbed({.q1 = 9, .median = 10, .q3 = 11.6}));
}

TEST(DisturbedTest, ABestThatFewRepetitionsReachIsDisturbed) {
  const Spread spread = {.q1 = 13.6, .median = 15, .q3 = 17};
  EXPECT_FALSE(IsDisturbed(spread));
  EXPECT_FALSE(IsDisturbed(spread, 17.5));
  EXPECT_TRUE(IsDisturbed(spread, 27.4)) << "a row of a real run";
}

TEST(DisturbedTest, ARatioThatTheRowsOwnFiguresDoNotGiveIsNoFact) {
  EXPECT_TRUE(Disagree(2.99, 0.96)) << "a row of a real report";
  EXPECT_TRUE(Disagree(0.96, 2.99));
  EXPECT_FALSE(Disagree(1.05, 0.96));
}

TEST(SpreadTest, TextIsBothQuartiles) {
  EXPECT_EQ(ToText({.q1 = 38.14, .median = 39, .q3 = 39.6}, 1), "38.1 – 39.6");
}

}  // namespace
}  // namespace program
