#include "llcl/launch/pmi_wire.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace llcl {
namespace {

TEST(PmiWire, ALineHasItsCommandFirstAndThenItsWordsAsTheyWereGiven) {
  EXPECT_EQ(FormatPmi({"put", {{"kvsname", "job_1"}, {"key", "r3"}, {"value", "6c"}}}),
            "cmd=put kvsname=job_1 key=r3 value=6c\n");
  EXPECT_EQ(FormatPmi({"get_maxes"}), "cmd=get_maxes\n");
}

// As mpi/pmi2 of Slurm 22.05 reads it.
TEST(PmiWire, AReaderThatMatchesTheWholeLineUnderstandsAnInit) {
  const std::string line = FormatPmi({"init", {{"pmi_version", "1"}, {"pmi_subversion", "2"}}});
  int version = 0, subversion = 0;
  EXPECT_EQ(std::sscanf(line.c_str(), "cmd=init pmi_version=%d pmi_subversion=%d\n", &version,
                        &subversion),
            2);
  EXPECT_EQ(version, 1);
  EXPECT_EQ(subversion, 2);
}

TEST(PmiWire, WordsMayComeInAnyOrder) {
  const auto hydra = ParsePmi("cmd=get_result rc=0 value=abc");
  const auto slurm = ParsePmi("rc=0 cmd=get_result  value=abc ");
  ASSERT_TRUE(hydra && slurm);
  for (const auto& message : {*hydra, *slurm}) {
    EXPECT_EQ(message.command, "get_result");
    EXPECT_EQ(message.ValueOf("rc"), "0");
    EXPECT_EQ(message.ValueOf("value"), "abc");
    EXPECT_EQ(message.ValueOf("msg"), "");
  }
}

TEST(PmiWire, OfAWordThatComesTwiceTheFirstCounts) {
  const auto message = ParsePmi("cmd=get cmd=put key=a key=b");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->command, "get");
  EXPECT_EQ(message->ValueOf("key"), "a");
}

TEST(PmiWire, AValueMayHoldAnEqualsSign) {
  const auto message = ParsePmi("cmd=get_result value=a=b");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->ValueOf("value"), "a=b");
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
