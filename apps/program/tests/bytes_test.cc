#include "apps/program/bytes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace program {
namespace {

using ::testing::HasSubstr;

TEST(ParseBytesTest, UnitsAreThoseOfTwoAndOfTen) {
  EXPECT_EQ(*ParseBytes("4096"), 4096u);
  EXPECT_EQ(*ParseBytes("6GiB"), std::uint64_t{6} << 30);
  EXPECT_EQ(*ParseBytes("1.5MB"), 1'500'000u);
}

TEST(ParseBytesTest, WhatIsNoNumberOfBytesIsRefused) {
  for (const char* text :
       {"", "GiB", "-1", "0", "5 GiB", "5G", "1e30", "nan", "inf", "1kB ", "0.5", "0.0001KiB"}) {
    const auto bytes = ParseBytes(text);
    ASSERT_FALSE(bytes.ok()) << text;
    EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("is no number of bytes"));
  }
}

TEST(FormatBytes, UnitsFitTheNumber) {
  EXPECT_EQ(FormatBytes(0), "0 bytes");
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(999), "999 bytes");
  EXPECT_EQ(FormatBytes(3200), "3.2 kB");
  EXPECT_EQ(FormatBytes(999'990), "1.0 MB");
  EXPECT_EQ(FormatBytes(12.5e9), "12.5 GB");
  EXPECT_EQ(FormatBytes(156.8e12), "156.8 TB");
}

}  // namespace
}  // namespace program
