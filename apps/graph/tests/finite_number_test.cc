#include "apps/graph/finite_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace graph {
namespace {

TEST(FiniteNumber, IsAllOfTheText) {
  EXPECT_EQ(FiniteNumber("-1.5e3"), -1500);
  EXPECT_EQ(FiniteNumber("+7"), 7);
  EXPECT_EQ(FiniteNumber(".5"), 0.5);
  for (const char* const text : {"", "+", "-", "+-5", "++5", "--5", "5x", "5 ", " 5", "1.0D+1",
                                 "1e", "0x10", "inf", "-inf", "nan", "+nan"}) {
    EXPECT_EQ(FiniteNumber(text), std::nullopt) << text;
  }
}

TEST(FiniteNumber, IsZeroWhereItIsTooSmallAndNoneWhereItIsTooLarge) {
  const std::string zeros(400, '0');
  for (const std::string& text :
       {std::string("1e-400"), std::string("-2.5E-400"), std::string("1e-99999999999999999999"),
        "0." + zeros + "1", "." + zeros + "1e+5", "1" + zeros + "e-900"}) {
    EXPECT_EQ(FiniteNumber(text), 0.0) << text;
  }
  for (const std::string& text :
       {std::string("1e400"), std::string("-1e+400"), std::string("1e99999999999999999999"),
        "1" + zeros, "1" + zeros + "e-5", "0." + zeros + "1e900"}) {
    EXPECT_EQ(FiniteNumber(text), std::nullopt) << text;
  }
  EXPECT_EQ(FiniteNumber("0e99999"), 0.0);
  EXPECT_EQ(FiniteNumber("1" + zeros + "e-400"), 1.0);
  EXPECT_EQ(FiniteNumber("4.9406564584124654e-324"), std::nextafter(0.0, 1.0));
}

}  // namespace
}  // namespace graph
