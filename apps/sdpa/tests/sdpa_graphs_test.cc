// The program's theta and max-cut of graphs in files, and what is refused before the work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/program/tests/run_program.h"

namespace {

using nlohmann::json;
using program::Outcome;
using testing::HasSubstr;

const std::string kBanner = "%%MatrixMarket matrix coordinate ";

std::string PathOf(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

std::string FileOf(const std::string& name, const std::string& text) {
  std::ofstream(PathOf(name)) << text;
  return PathOf(name);
}

Outcome Sdpa(std::vector<std::string> arguments) {
  return program::RunProgram("apps/sdpa/sdpa", std::move(arguments));
}

json RowOf(std::vector<std::string> arguments) {
  arguments.push_back("--json=-");
  const Outcome run = Sdpa(arguments);
  EXPECT_EQ(run.code, 0) << run.error;
  const json all = json::parse(run.output, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(all.is_object()) << run.output;
  return all["results"][0];
}

double ValueOf(const std::vector<std::string>& arguments) {
  return RowOf(arguments)["primal"].get<double>();
}

// All edges of a bipartite graph are cut where no weight is below 0; of two vertices one is cut
// off if that is worth it.
TEST(MaxCut, CountsAnEdgeByItsWeightInEachFormat) {
  const std::string symmetric = "symmetric\n3 3 2\n2 1 3\n3 2 5.5\n";
  for (const std::string& file :
       {FileOf("path.txt", "0 1 3\n1 2 5.5\n"), FileOf("path", "3 2\n1 2 3\n2 3 5.5\n"),
        FileOf("path.mtx", kBanner + "real " + symmetric)}) {
    EXPECT_NEAR(ValueOf({"--max-cut=" + file}), 8.5, 1e-5) << file;
  }
  EXPECT_NEAR(ValueOf({"--max-cut=" + FileOf("path.graph", "3 2 1\n2 3\n1 3 3 5\n2 5\n")}), 8,
              1e-5);
  EXPECT_NEAR(ValueOf({"--max-cut=" + FileOf("plain.txt", "0 1\n1 2\n")}), 2, 1e-5);
  EXPECT_NEAR(ValueOf({"--max-cut=" + FileOf("minus.mc", "3 2\n1 2 3\n2 3 -5\n")}), 3, 1e-5);
}

TEST(Theta, TakesArcsAsEdgesAndCountsNoWeights) {
  const std::string arcs = "p sp 5 5\na 1 2 7\na 3 2 7\na 3 4 7\na 4 5 7\na 1 5 7\n";
  EXPECT_NEAR(ValueOf({"--theta=" + FileOf("pentagon.gr", arcs)}), std::sqrt(5.0), 1e-6);
}

TEST(Graphs, AreNumberedFromOneIfAskedAndTheNameSaysWhatWasRead) {
  const std::string file = FileOf("one.txt", "1 2\n2 3\n3 4\n4 5\n5 1\n");
  const json zero = RowOf({"--theta=" + file}), one = RowOf({"--theta=" + file, "--first-id=1"});
  EXPECT_NEAR(zero["primal"].get<double>(), 1 + std::sqrt(5.0), 1e-6);
  EXPECT_NEAR(one["primal"].get<double>(), std::sqrt(5.0), 1e-6);
  EXPECT_EQ(zero["instance"], "theta of " + file + " (6 vertices, 5 edges)");
  EXPECT_EQ(one["instance"], "theta of " + file + " (5 vertices, 5 edges)");
  const std::string pair = FileOf("pair.txt", "0 0\n");
  EXPECT_EQ(RowOf({"--max-cut=" + pair})["instance"], "max-cut of " + pair + " (1 vertex, 1 edge)");
}

TEST(Graphs, WhatIsRefusedIsOneSentence) {
  const std::string pentagon = "--generate=theta:cycle,n=5", folder = PathOf("");
  const std::string gr = FileOf("arc.gr", "p sp 2 1\na 1 2 7\n"),
                    general = FileOf("arc.mtx", kBanner + "pattern general\n2 2 1\n1 2\n"),
                    large = FileOf("large.txt", "0 99999\n"),
                    some = FileOf("some.txt", "0 1 5\n1 2\n"),
                    problem = FileOf("some.dat-s", "1\n1\n1\n1\n1 1 1 1 1\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
      {{"--max-cut=" + gr}, gr + ": its edges have directions"},
      {{"--max-cut=" + general}, general + ": its edges have directions"},
      {{"--max-cut=" + some}, some + ":2: found the end of the line, expected a weight"},
      {{"--theta=" + large}, large + " (100000 vertices, 1 edge): the block's matrices need"},
      {{"--max-cut=" + large}, large + " (100000 vertices, 1 edge): the block's matrices need"},
      {{pentagon, "--first-id=1"}, "--first-id has an effect with --theta and --max-cut only"},
      {{"--problem=" + problem, "--first-id=0"},
       "--first-id has an effect with --theta and --max-cut only"},
      {{"--theta=" + large, "--first-id=2"}, "--first-id"},
      {{"--generate=theta-300", "--write=" + PathOf("theta-300.dat")},
       "theta-300.dat: as dense text it has 3.9384e+08 numbers, expected at most 1e+08"},
      {{"--problem=" + folder}, folder + ": cannot be read: Is a directory"},
      {{"--problem=absent"}, "absent: cannot be read: No such file or directory"},
      {{pentagon, "--initial=" + folder}, folder + ": cannot be read: Is a directory"},
  };
  for (const auto& [arguments, part] : refused) {
    const Outcome run = Sdpa(arguments);
    EXPECT_EQ(run.code, 2) << part;
    EXPECT_EQ(run.output, "") << part;
    EXPECT_THAT(run.error, HasSubstr(part));
    // A graph that was read has its report before.
    const bool has_report = run.error.find(" (guessed); ") != std::string::npos;
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), has_report ? 2 : 1)
        << run.error;
  }
}

}  // namespace
