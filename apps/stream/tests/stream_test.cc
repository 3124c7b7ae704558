// The program as a user starts it: exit codes, sentences, JSON.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/program/tests/run_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using program::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Outcome Stream(std::vector<std::string> flags) {
  return program::RunProgram("apps/stream/stream", std::move(flags));
}

const std::vector<std::string> kSmall = {"--elements=20000", "--repetitions=3"};

std::vector<std::string> Small(std::vector<std::string> flags) {
  flags.insert(flags.end(), kSmall.begin(), kSmall.end());
  return flags;
}

void ExpectRefused(const std::vector<std::string>& flags, const std::string& part) {
  const Outcome outcome = Stream(flags);
  EXPECT_EQ(outcome.code, 2) << flags.back();
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.error, StartsWith("stream: "));
  EXPECT_THAT(outcome.error, HasSubstr(part));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
}

TEST(StreamTest, HelpExitsZeroAndNamesEveryFlagOfTheContract) {
  const Outcome outcome = Stream({"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* flag :
       {"--policy", "--threads", "--oversubscribe", "--placement", "--kernel", "--runtime",
        "--elements", "--repetitions", "--pages", "--verify-placement", "--json", "--svg"}) {
    EXPECT_THAT(outcome.output, HasSubstr(flag));
  }
}

TEST(StreamTest, AMistakeIsOneSentenceAndExitCodeTwo) {
  ExpectRefused({"--policy=dense"}, "dense");
  ExpectRefused({"--threads=4097"}, "need --oversubscribe");
  ExpectRefused({"--threads=0"}, "\"0\" is not a number");
  ExpectRefused({"--elements=0"}, "--elements=0 is not");
  ExpectRefused({"--elements=-5"}, "--elements=-5 is not");
  ExpectRefused({"--elements=many"}, "--elements");
  ExpectRefused({"--elements=1000000000000"}, "available");
  ExpectRefused({"--repetitions=1"}, "--repetitions");
  ExpectRefused({"--placement=far"}, "far");
  ExpectRefused({"--kernel=fast"}, "fast");
  ExpectRefused({"--runtime=cilk"}, "cilk");
  ExpectRefused({"--pages=1g"}, "1g");
  ExpectRefused({"--colour"}, "--colour");
  ExpectRefused({"leftover"}, "leftover");
  ExpectRefused({"--topology=pack:4"}, "pack:4");
  ExpectRefused({"--json=/nonexistent/x.json"}, "/nonexistent/x.json");
  ExpectRefused({"--svg=/nonexistent/x.svg"}, "/nonexistent/x.svg");
  ExpectRefused({"--json=-", "--svg=-"}, "standard output");
}

TEST(StreamTest, ATableTellsTheTwoRatios) {
  const Outcome outcome = Stream(Small({"--threads=1"}));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, HasSubstr("Triad tuned / plain = "));
  EXPECT_THAT(outcome.output, HasSubstr("Triad tuned / limit = "));
  EXPECT_THAT(outcome.output, Not(HasSubstr("\033"))) << "color where there is no terminal";
  EXPECT_EQ(outcome.error, "") << "progress where there is no terminal";
}

TEST(StreamTest, JsonOnStandardOutputIsAloneThere) {
  const Outcome outcome = Stream(Small({"--threads=1", "--policy=all", "--json=-"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(object["app"], "stream");
  EXPECT_EQ(object["verified"], true);
  EXPECT_EQ(object["results"].size(), 4u * 9u);
  for (const auto& row : object["results"]) {
    for (const char* key :
         {"kernel", "policy", "threads", "placement", "gb_per_s", "gb_per_s_moved", "variant",
          "runtime", "store", "pages", "seconds_min", "seconds_median"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_THAT(outcome.error, HasSubstr("Triad tuned / plain = "));
}

TEST(StreamTest, EveryPlacementAndRuntimeGivesAVerifiedAnswer) {
  for (const char* placement : {"local", "first-touch", "serial", "interleave"}) {
    for (const char* runtime : {"openmp", "tbb", "std"}) {
      const Outcome outcome =
          Stream(Small({std::string("--placement=") + placement,
                        std::string("--runtime=") + runtime, "--verify-placement", "--json=-"}));
      ASSERT_EQ(outcome.code, 0) << outcome.error;
      const auto object = nlohmann::json::parse(outcome.output);
      EXPECT_EQ(object["results"][0]["placement"], placement);
      EXPECT_EQ(object["results"][0]["runtime"], runtime);
      EXPECT_FALSE(object["parameters"]["placement_notes"].empty());
    }
  }
}

TEST(StreamTest, MoreThreadsThanPusWorkWhenAllowed) {
  const Outcome outcome = Stream(Small({"--threads=5", "--oversubscribe", "--json=-"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["results"][0]["threads"], 5);
}

TEST(StreamTest, FilesAppearWholeWithNothingBesideThem) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "files";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const Outcome outcome = Stream(
      Small({"--json=" + (folder / "s.json").string(), "--svg=" + (folder / "s.svg").string()}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(folder / "s.json"))["verified"], true);
  EXPECT_GT(std::filesystem::file_size(folder / "s.svg"), 1000u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
}

}  // namespace
