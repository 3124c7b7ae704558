#include "llcl/launch/pmi_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace llcl {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(PmiWire, ALineSaysItsCommandFirst) {
  EXPECT_EQ(FormatPmi({{"cmd", "put"}, {"kvsname", "job_1"}, {"key", "r3"}, {"value", "6c"}}),
            "cmd=put key=r3 kvsname=job_1 value=6c\n");
}

TEST(PmiWire, WordsMayComeInAnyOrder) {
  const auto hydra = ParsePmi("cmd=get_result rc=0 value=abc");
  const auto slurm = ParsePmi("rc=0 cmd=get_result  value=abc ");
  ASSERT_TRUE(hydra && slurm);
  EXPECT_EQ(*hydra, *slurm);
  EXPECT_THAT(*hydra,
              ElementsAre(Pair("cmd", "get_result"), Pair("rc", "0"), Pair("value", "abc")));
}

TEST(PmiWire, AValueMayHoldAnEqualsSign) {
  const auto message = ParsePmi("cmd=get_result value=a=b");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->at("value"), "a=b");
}

TEST(PmiWire, WhatIsNoMessageIsNone) {
  EXPECT_FALSE(ParsePmi(""));
  EXPECT_FALSE(ParsePmi("   "));
  EXPECT_FALSE(ParsePmi("hello"));
  EXPECT_FALSE(ParsePmi("cmd=get =value"));
}

TEST(PmiWire, AnyBytesComeBackFromValuesThatAreShortEnough) {
  for (const std::size_t size : {0u, 1u, 127u, 128u, 129u, 1000u}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 37);
    std::string back;
    for (const std::string& value : ToPmiValues(bytes)) {
      EXPECT_LE(value.size(), kMostPmiValue);
      EXPECT_FALSE(value.empty());
      const auto part = FromPmiValue(value);
      ASSERT_TRUE(part);
      back += *part;
    }
    EXPECT_EQ(back, bytes) << size << " bytes";
  }
}

TEST(PmiWire, WhatIsNoValueIsRefused) {
  EXPECT_FALSE(FromPmiValue("abc"));
  EXPECT_FALSE(FromPmiValue("zz"));
  EXPECT_FALSE(FromPmiValue("AB"));
}

}  // namespace
}  // namespace llcl
