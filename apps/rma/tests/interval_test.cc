#include "apps/rma/run/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rma {
namespace {

std::vector<double> Numbers(int count) {
  std::vector<double> values;
  for (int i = count; i > 0; --i) values.push_back(i);
  return values;
}

// Of `n` coin tosses, the chance of at most `k` heads.
double AtMost(int k, int n) {
  double chance = 0, ways = 1;
  for (int heads = 0; heads <= k; ++heads) {
    chance += ways * std::pow(0.5, n);
    ways = ways * (n - heads) / (heads + 1);
  }
  return chance;
}

TEST(IntervalTest, FewerThanSixValuesHaveAMedianAndNoConfidence) {
  for (int count = 1; count < 6; ++count) {
    EXPECT_FALSE(IntervalOf(Numbers(count)).confidence.has_value()) << count;
    EXPECT_EQ(IntervalOf(Numbers(count)).median, (count + 1) / 2.0);
  }
  EXPECT_TRUE(IntervalOf(Numbers(6)).confidence.has_value());
}

TEST(IntervalTest, TablesOfTheSignTestHaveTheseRanks) {
  const struct {
    int count;
    double low;
  } rows[] = {{6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {20, 6}, {32, 10}};
  for (const auto& [count, low] : rows) {
    const Interval interval = IntervalOf(Numbers(count));
    ASSERT_TRUE(interval.confidence.has_value());
    EXPECT_EQ(interval.confidence->low, low) << count;
    EXPECT_EQ(interval.confidence->high, count + 1 - low) << count;
  }
}

TEST(IntervalTest, ItIsTheNarrowestThatMissesTheMedianAtMostOnceInTwenty) {
  for (int count = 6; count <= 60; ++count) {
    const auto low = static_cast<int>(IntervalOf(Numbers(count)).confidence->low);
    EXPECT_LE(2 * AtMost(low - 1, count), 0.05) << count;
    EXPECT_GT(2 * AtMost(low, count), 0.05) << count;
  }
}

}  // namespace
}  // namespace rma
