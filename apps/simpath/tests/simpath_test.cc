// The program as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/program/tests/run_program.h"

namespace {

using program::Outcome;
using testing::HasSubstr;

Outcome Simpath(std::vector<std::string> arguments) {
  return program::RunProgram("apps/simpath/simpath", std::move(arguments));
}

std::string FileOf(const std::string& name, const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Simpath, ModesAgreeOnAGrid) {
  const Outcome run = Simpath(
      {"--grid=9", "--mode=sequential,array", "--policy=none,compact", "--threads=1", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["verified"], true);
  ASSERT_EQ(json["results"].size(), 3u) << "the sequential mode has no policies";
  for (const auto& row : json["results"]) {
    EXPECT_EQ(row["count"], "41044208702632496804");
    for (const char* key : {"graph", "mode", "order", "policy", "threads", "moduli", "max_width",
                            "forecast_bytes", "seconds", "max_rss_bytes"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_THAT(run.error, HasSubstr("grid 9x9: 41044208702632496804 simple paths"));
}

TEST(Simpath, CountsBetweenAnyVerticesOfAFile) {
  const std::string square = FileOf("square.txt", "0 1\n1 2\n2 3\n3 0\n0 2\n2 0\n1 1\n");
  const auto paths = [&](const std::string& source, const std::string& target) {
    const Outcome run = Simpath({"--graph=" + square, "--source=" + source, "--target=" + target});
    EXPECT_EQ(run.code, 0) << run.error;
    return run.output;
  };
  EXPECT_THAT(paths("0", "2"), HasSubstr(": 3 simple paths"));
  EXPECT_THAT(paths("1", "3"), HasSubstr(": 4 simple paths"));
  EXPECT_THAT(paths("1", "1"), HasSubstr(": 1 simple paths")) << "that of no edge";
}

TEST(Simpath, NoPathIsTheAnswerZero) {
  const std::string apart = FileOf("apart.txt", "0 1\n2 3\n");
  const Outcome run = Simpath({"--graph=" + apart, "--source=0", "--target=3"});
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr(": 0 simple paths"));
}

TEST(Simpath, BadInputIsOneSentence) {
  const std::string edge = FileOf("edge.txt", "0 1\n");
  const auto error = [](std::vector<std::string> arguments) {
    const Outcome run = Simpath(std::move(arguments));
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.output, "");
    return run.error;
  };
  EXPECT_THAT(error({"--graph=" + edge}), HasSubstr("--source and --target"));
  EXPECT_THAT(error({"--graph=" + edge, "--source=0", "--target=2"}),
              HasSubstr("edge.txt: there is no vertex 2 in a graph of 2"));
  EXPECT_THAT(error({"--graph=" + edge, "--mode=array"}), HasSubstr("a grid (--grid)"));
  EXPECT_THAT(error({"--grid=4", "--mode=fast"}), HasSubstr("'fast' is neither"));
  EXPECT_THAT(error({"--grid=24", "--memory-limit=1GiB"}), HasSubstr("words, which need"));
  EXPECT_THAT(error({"--grid=12", "--mode=sequential", "--memory-limit=1MiB"}),
              HasSubstr("whose frontier has"));
}

}  // namespace
