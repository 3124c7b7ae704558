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

TEST(PmiWire, BytesThatAreNoMessageAreNotParsed) {
  EXPECT_FALSE(ParsePmi(""));
  EXPECT_FALSE(ParsePmi("   "));
  EXPECT_FALSE(ParsePmi("hello"));
  EXPECT_FALSE(ParsePmi("cmd=get =value"));
}

TEST(PmiWire, AnyBytesComeBackFromAValue) {
  for (const std::size_t size : {1u, 2u, 127u, 128u}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 37);
    const std::string value = ToPmiValue(bytes);
    EXPECT_EQ(value.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_EQ(FromPmiValue(value), bytes) << size << " bytes";
  }
}

TEST(PmiWire, BytesThatAreNoValueAreRefused) {
  EXPECT_FALSE(FromPmiValue("abc"));
  EXPECT_FALSE(FromPmiValue("zz"));
  EXPECT_FALSE(FromPmiValue("AB"));
}

}  // namespace
}  // namespace llcl
