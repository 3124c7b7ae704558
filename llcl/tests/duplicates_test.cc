#include "llcl/ofi/duplicates.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

namespace llcl {
namespace {

TEST(Duplicates, EachNumberIsNewOnce) {
  Duplicates duplicates;
  for (std::uint32_t number = 0; number < 10'000; ++number) {
    EXPECT_TRUE(duplicates.IsNew(number));
    EXPECT_FALSE(duplicates.IsNew(number));
  }
}

TEST(Duplicates, ASkippedNumberIsNewWhenItComes) {
  Duplicates duplicates;
  EXPECT_TRUE(duplicates.IsNew(100));
  EXPECT_TRUE(duplicates.IsNew(3));
  EXPECT_FALSE(duplicates.IsNew(100));
  EXPECT_FALSE(duplicates.IsNew(3));
  EXPECT_TRUE(duplicates.IsNew(100 + Duplicates::kWindow));
  EXPECT_TRUE(duplicates.IsNew(101));
  EXPECT_FALSE(duplicates.IsNew(99)) << "out of the window: nobody remembers";
}

TEST(Duplicates, NumbersWrapRound) {
  Duplicates duplicates;
  std::uint32_t number = 0;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(duplicates.IsNew(number += 0x3FFF'FFFF));
  EXPECT_FALSE(duplicates.IsNew(number));
  EXPECT_TRUE(duplicates.IsNew(number - 1));
}

TEST(Duplicates, DoAsASetDoes) {
  std::mt19937 random(7);
  Duplicates duplicates;
  std::set<std::uint32_t> seen;
  std::uint32_t largest = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint32_t behind = random() % 600;
    const std::uint32_t number = largest + 100 > behind ? largest + 100 - behind : 0;
    largest = std::max(largest, number);
    EXPECT_EQ(duplicates.IsNew(number), seen.insert(number).second) << number;
  }
}

}  // namespace
}  // namespace llcl
