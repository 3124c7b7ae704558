#include "apps/bfs/run/statistics.h"

#include <gtest/gtest.h>

#include <vector>

namespace bfs {
namespace {

TEST(StatisticsOf, QuartilesBetweenTwoValuesAreTheirMean) {
  const std::vector<double> five = {5, 1, 4, 2, 3};
  EXPECT_DOUBLE_EQ(StatisticsOf(five).first_quartile, 2);
  EXPECT_DOUBLE_EQ(StatisticsOf(five).median, 3);
  EXPECT_DOUBLE_EQ(StatisticsOf(five).third_quartile, 4);
  const std::vector<double> four = {4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(StatisticsOf(four).first_quartile, 1.5);
  EXPECT_DOUBLE_EQ(StatisticsOf(four).median, 2.5);
  EXPECT_DOUBLE_EQ(StatisticsOf(four).third_quartile, 3.5);
}

TEST(StatisticsOf, TheDeviationIsThatOfASample) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(StatisticsOf(values).mean, 5);
  EXPECT_NEAR(StatisticsOf(values).stddev, 2.13809, 1e-5);
  EXPECT_EQ(StatisticsOf(std::vector<double>{3}).stddev, 0);
}

TEST(TepsOf, TheMeanOfRatesIsHarmonic) {
  const std::vector<double> tuples = {60, 60}, seconds = {1, 3};  // 60 and 20 a second
  const RateStatistics teps = TepsOf(tuples, seconds);
  EXPECT_DOUBLE_EQ(teps.harmonic_mean, 30);
  EXPECT_DOUBLE_EQ(teps.min, 20);
  EXPECT_DOUBLE_EQ(teps.max, 60);
  EXPECT_DOUBLE_EQ(teps.median, 30) << "of seconds a tuple, as in the reference code";
  // 1/60 and 1/20: their deviation is 0.0235702, and 30 * 30 of it 21.2132.
  EXPECT_NEAR(teps.harmonic_stddev, 21.2132, 1e-4);
}

TEST(TepsOf, ASearchWithoutTuplesHasTheRateZeroAndSoHasTheHarmonicMean) {
  const std::vector<double> tuples = {10, 0, 30}, seconds = {1, 1, 1};
  const RateStatistics teps = TepsOf(tuples, seconds);
  EXPECT_EQ(teps.min, 0);
  EXPECT_DOUBLE_EQ(teps.median, 10);
  EXPECT_DOUBLE_EQ(teps.max, 30);
  EXPECT_EQ(teps.harmonic_mean, 0);
  EXPECT_EQ(teps.harmonic_stddev, 0);
}

TEST(TepsOf, OneSearchHasNoDeviation) {
  const std::vector<double> tuples = {10}, seconds = {2};
  EXPECT_DOUBLE_EQ(TepsOf(tuples, seconds).harmonic_mean, 5);
  EXPECT_EQ(TepsOf(tuples, seconds).harmonic_stddev, 0);
}

}  // namespace
}  // namespace bfs
