// The program as a user starts it: exit codes, sentences, JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/program/tests/run_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using program::Outcome;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Outcome Predict(std::vector<std::string> flags) {
  return program::RunProgram("apps/predict/predict", std::move(flags));
}

void ExpectRefused(const std::vector<std::string>& flags, const std::string& part) {
  const Outcome outcome = Predict(flags);
  EXPECT_EQ(outcome.code, 2) << flags.back();
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.error, StartsWith("predict: "));
  EXPECT_THAT(outcome.error, HasSubstr(part));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
}

TEST(PredictTest, AMistakeIsOneSentenceAndExitCodeTwo) {
  ExpectRefused({"--program=lapack"}, "lapack");
  ExpectRefused({"--machine=cray-1"}, "expected 4x-e5-4640 or 4x-e7-4870");
  ExpectRefused({"--policy=dense"}, "dense");
  ExpectRefused({"--threads=65"}, "65");
  ExpectRefused({"--program=stream", "--team=kept"}, "--team means nothing to --program=stream");
  ExpectRefused({"--program=bfs", "--scale=10"}, "--counted-scale=18 is above --scale=10");
  ExpectRefused({"--program=elements", "--blocks=0"}, "--blocks");
}

TEST(PredictTest, EachProgramGivesARowForEachPolicyAndThreadCount) {
  for (const std::string program : {"stream", "bfs", "simpath", "elements"}) {
    std::vector<std::string> flags = {"--program=" + program, "--threads=1,64", "--json=-"};
    if (program == "bfs") flags.push_back("--counted-scale=10");
    if (program == "simpath") flags.push_back("--grid=6");
    const Outcome outcome = Predict(flags);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json["parameters"]["program"], program);
    EXPECT_EQ(json["machine"]["pus"], 64);
    ASSERT_EQ(json["results"].size(), 8u);
    for (const auto& row : json["results"]) {
      EXPECT_EQ(row["simulated"], true);
      EXPECT_GT(row["virtual_seconds"], 0);
      EXPECT_GT(row["rate"], 0);
    }
  }
}

TEST(PredictTest, TheSameFlagsGiveTheSameFigures) {
  const std::vector<std::string> flags = {"--policy=none", "--threads=all"};
  EXPECT_EQ(Predict(flags).output, Predict(flags).output);
}

}  // namespace
