#include "apps/simpath/problem/count.h"

#include <gtest/gtest.h>

namespace simpath {
namespace {

TEST(Count, IsWrittenInDecimal) {
  EXPECT_EQ(Count().ToString(), "0");
  EXPECT_EQ(Count(7).ToString(), "7");
  EXPECT_EQ(Count(1'000'000'000).ToString(), "1000000000");
  EXPECT_EQ(Count(18'446'744'073'709'551'615u).ToString(), "18446744073709551615");
  const std::uint64_t words[] = {0, 0, 1, 0};
  EXPECT_EQ(Count(words).ToString(), "340282366920938463463374607431768211456");
}

TEST(Count, HasNoBitsForZerosInFront) {
  EXPECT_EQ(Count().bits(), 0);
  EXPECT_EQ(Count(1).bits(), 1);
  const std::uint64_t words[] = {5, 3, 0};
  EXPECT_EQ(Count(words).bits(), 66);
  EXPECT_EQ(Count(words).words().size(), 2u);
}

TEST(Count, FactorialsAreKnown) {
  Count factorial = 1;
  for (std::uint64_t i = 2; i <= 30; ++i) factorial = factorial * i;
  EXPECT_EQ(factorial.ToString(), "265252859812191058636308480000000");
  EXPECT_EQ(factorial * 0, Count());
}

TEST(Count, SumsCarry) {
  Count sum = ~std::uint64_t{0};
  sum += 1;
  EXPECT_EQ(sum.ToString(), "18446744073709551616");
  Count power = 1;
  for (int i = 0; i < 200; ++i) power += power;
  EXPECT_EQ(power.bits(), 201);
  EXPECT_EQ(power.ToString(), "1606938044258990275541962092341162602522202993782792835301376");
}

}  // namespace
}  // namespace simpath
