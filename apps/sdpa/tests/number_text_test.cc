#include "apps/sdpa/files/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "apps/sdpa/linear/double_double.h"

namespace sdpa {
namespace {

std::string Of(DoubleDouble value) { return Digits(value.high(), value.low()); }

TEST(Digits, AreSeventeenOfADoubleAlone) {
  EXPECT_EQ(Digits(0.1, 0), "1.0000000000000001e-01");
  EXPECT_EQ(Digits(-2, 0), "-2.0000000000000000e+00");
  EXPECT_EQ(Digits(std::numeric_limits<double>::infinity(), 1), "inf");
}

TEST(Digits, AreThirtyTwoOfAPair) {
  EXPECT_EQ(Of(DoubleDouble(1) / 3).substr(0, 32), "3.333333333333333333333333333333");
  EXPECT_EQ(Of(-(DoubleDouble(2) / 3)).substr(0, 32), "-6.66666666666666666666666666666");
  EXPECT_EQ(Of(sqrt(DoubleDouble(2))).substr(0, 32), "1.414213562373095048801688724209");
  EXPECT_EQ(Digits(1, 1e-25), "1.0000000000000000000000001000000e+00");
  EXPECT_EQ(Digits(1, -1e-25).substr(0, 31), "9.99999999999999999999999900000");
  EXPECT_EQ(Digits(1e22, 1e-5), "1.0000000000000000000000000010000e+22");
}

TEST(Digits, HaveExponentsAsPrintfWritesThem) {
  const auto exponent = [](const std::string& text) { return text.substr(text.find('e')); };
  EXPECT_EQ(exponent(Of(DoubleDouble(1e-300) / 3)), "e-301");
  EXPECT_EQ(exponent(Of(DoubleDouble(1e300) / 3)), "e+299");
  EXPECT_EQ(exponent(Of(DoubleDouble(2e-5) / 3)), "e-06");
  EXPECT_EQ(std::stod(Of(DoubleDouble(1e300) / 3)), 1e300 / 3);
}

}  // namespace
}  // namespace sdpa
