// The program as a user starts it: exit codes, sentences, JSON.
#include <algorithm>
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

Outcome Matmul(std::vector<std::string> flags) {
  return program::RunProgram("apps/matmul/matmul", std::move(flags));
}

Outcome Small(std::vector<std::string> flags) {
  flags.insert(flags.end(), {"--n=96", "--repetitions=2"});
  return Matmul(std::move(flags));
}

void ExpectRefused(const std::vector<std::string>& flags, const std::string& part) {
  const Outcome outcome = Matmul(flags);
  EXPECT_EQ(outcome.code, 2) << flags.back();
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.error, StartsWith("matmul: "));
  EXPECT_THAT(outcome.error, HasSubstr(part));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
}

TEST(MatmulTest, HelpExitsZeroAndNamesEveryFlagOfTheContract) {
  const Outcome outcome = Matmul({"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* flag : {"--variant", "--policy", "--candidates", "--workers", "--mode", "--seed",
                           "--n ", "--json", "--svg"}) {
    EXPECT_THAT(outcome.output, HasSubstr(flag));
  }
}

TEST(MatmulTest, AMistakeIsOneSentenceAndExitCodeTwo) {
  ExpectRefused({"--variant=fast"}, "\"fast\" is none of original, cutoff, ideal, depth");
  ExpectRefused({"--policy=greedy"}, "greedy");
  ExpectRefused({"--candidates=0"}, "--candidates: \"0\" is not a number");
  ExpectRefused({"--candidates=2,"}, "--candidates: \"\" is not a number");
  ExpectRefused({"--workers=0"}, "--workers: \"0\" is not a number");
  ExpectRefused({"--workers=4097"}, "need --oversubscribe");
  ExpectRefused({"--mode=dreamt"}, "dreamt");
  ExpectRefused({"--n=100"}, "--n=100 is not a multiple of 32");
  ExpectRefused({"--n=0"}, "--n=0 is not a multiple of 32");
  ExpectRefused({"--n=-32"}, "--n=-32 is not a multiple of 32");
  ExpectRefused({"--repetitions=0"}, "--repetitions");
  ExpectRefused({"--variant=limit", "--mode=simulated"}, "--variant=limit");
  ExpectRefused({"--json=/nonexistent/x.json"}, "/nonexistent/x.json");
  ExpectRefused({"--svg=/nonexistent/x.svg"}, "/nonexistent/x.svg");
  ExpectRefused({"--json=-", "--svg=-"}, "standard output");
  ExpectRefused({"--depth"}, "--depth");
  ExpectRefused({"leftover"}, "leftover");
}

TEST(MatmulTest, ATableShowsEveryVariant) {
  const Outcome outcome = Small({"--workers=1"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* variant : {"original", "cutoff", "ideal", "depth", "limit"}) {
    EXPECT_THAT(outcome.output, HasSubstr(variant));
  }
  EXPECT_THAT(outcome.output, Not(HasSubstr("\033"))) << "color where there is no terminal";
  EXPECT_EQ(outcome.error, "") << "progress where there is no terminal";
}

TEST(MatmulTest, JsonOnStandardOutputIsAloneThere) {
  const Outcome outcome =
      Small({"--workers=1,3", "--oversubscribe", "--candidates=2,4", "--seed=9", "--json=-"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(object["app"], "matmul");
  EXPECT_EQ(object["verified"], true);
  ASSERT_EQ(object["results"].size(), 6u + 5u) << "the limit has one worker";
  for (const auto& row : object["results"]) {
    for (const char* key : {"variant", "policy", "candidates", "mode", "workers", "seed",
                            "gflop_per_s", "steals", "steals_by_depth"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_EQ(row["seed"], 9);
    EXPECT_TRUE(row["steals_by_depth"].is_array());
  }
  EXPECT_THAT(outcome.error, HasSubstr("GFLOP/s by workers:"));
}

TEST(MatmulTest, APolicyIsThatOfOriginalAndCutoff) {
  const Outcome outcome = Small({"--variant=original,cutoff", "--policy=depth", "--candidates=4",
                                 "--workers=2", "--oversubscribe", "--json=-"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.output);
  for (const auto& row : object["results"]) {
    EXPECT_EQ(row["policy"], "depth");
    EXPECT_EQ(row["candidates"], 4);
  }
}

TEST(MatmulTest, SimulatedWorkersHaveVirtualTimeAndReplayTheirSeed) {
  const std::vector<std::string> flags = {"--mode=simulated", "--workers=16", "--candidates=4",
                                          "--seed=3", "--json=-"};
  const Outcome outcome = Small(flags);
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.output);
  for (const auto& row : object["results"]) {
    EXPECT_EQ(row["mode"], "simulated");
    EXPECT_EQ(row["simulated"], true);
    EXPECT_TRUE(row.contains("virtual_seconds"));
    EXPECT_FALSE(row.contains("seconds"));
    EXPECT_GT(row["virtual_computing_ns"], 0);
    EXPECT_GT(row["blocks_from_own_node"], 0);
  }
  EXPECT_EQ(object["results"], nlohmann::json::parse(Small(flags).output)["results"]);
}

TEST(MatmulTest, FilesAppearWholeWithNothingBesideThem) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "files";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const Outcome outcome = Small({"--workers=1", "--json=" + (folder / "m.json").string(),
                                 "--svg=" + (folder / "m.svg").string(), "--figure=steals"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(folder / "m.json"))["verified"], true);
  EXPECT_GT(std::filesystem::file_size(folder / "m.svg"), 500u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
}

}  // namespace
