#include "apps/program/record.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "topo/discover.h"

namespace program {
namespace {

Record Example() {
  Record record("stream", "0.1.0",
                DescribeMachine(*topo::FromSynthetic("pack:2 [numa] core:4 pu:2"), "abc"));
  record.parameters()["policy"] = "compact";
  record.AddResult({{"kernel", "triad"}, {"gb_per_s", 45.5}});
  return record;
}

TEST(RecordTest, TheObjectHasTheKeysOfTheContractInItsOrder) {
  const Json object = Json::parse(Example().ToText());
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  EXPECT_THAT(
      keys, testing::ElementsAre("app", "version", "machine", "parameters", "results", "verified"));
  EXPECT_EQ(object["app"], "stream");
  EXPECT_EQ(object["verified"], true);
  EXPECT_EQ(object["parameters"]["policy"], "compact");
  EXPECT_EQ(object["results"][0]["gb_per_s"], 45.5);
}

TEST(RecordTest, TheDateStandsWithTheParameters) {
  EXPECT_THAT(Json::parse(Example().ToText())["parameters"]["date"].get<std::string>(),
              testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
}

TEST(RecordTest, TheMachineIsTheTopologysCounts) {
  const Json machine = Json::parse(Example().ToText())["machine"];
  EXPECT_EQ(machine["topology"], "2 packages, 2 NUMA nodes, 8 cores, 16 PUs");
  EXPECT_EQ(machine["pus"], 16);
  EXPECT_EQ(machine["numa_nodes"], 2);
  EXPECT_EQ(machine["commit"], "abc");
  EXPECT_THAT(machine["compiler"].get<std::string>(), testing::MatchesRegex("(gcc|clang) [0-9.]+"));
  EXPECT_NE(machine["cpu"], "");
}

TEST(RecordTest, TextThatIsNotUtf8DoesNotBreakTheFile) {
  Record record = Example();
  record.parameters()["file"] = "caf\xE9";
  EXPECT_EQ(Json::parse(record.ToText())["parameters"]["file"], "caf\uFFFD");
}

TEST(RecordDeathTest, ARowWithinARowIsABugOfTheProgram) {
  Record record = Example();
  EXPECT_DEATH(record.AddResult({{"times", {{"min", 1}}}}), "flat object");
}

TEST(CpuNameTest, EachKernelsSpellingIsRead) {
  EXPECT_EQ(CpuName("processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nflags\t: x\n"),
            "AMD EPYC");
  EXPECT_EQ(CpuName("processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t: 1\n"),
            "POWER9, altivec supported");
  EXPECT_EQ(CpuName("processor\t: 0\nBogoMIPS\t: 243.75\n"), "unknown");
  EXPECT_EQ(CpuName(""), "unknown");
}

}  // namespace
}  // namespace program
