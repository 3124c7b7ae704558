// The program as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

Outcome Sdpa(std::vector<std::string> arguments) {
  return program::RunProgram("apps/sdpa/sdpa", std::move(arguments));
}

std::string FileOf(const std::string& name, const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Sdpa, FindsThetaOfAPentagonAndWritesTheProblemThatItSolvedAgain) {
  const std::string graph = FileOf("pentagon.txt", "0 1\n1 2\n2 3\n3 4\n4 0\n");
  const std::string file = FileOf("theta.dat-s", "");
  const Outcome run = Sdpa({"--theta=" + graph, "--write=" + file, "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["verified"], true);
  const auto row = json["results"][0];
  EXPECT_NEAR(row["primal"].get<double>(), std::sqrt(5.0), 1e-6);
  EXPECT_EQ(row["m"], 6);
  EXPECT_EQ(row["phase"], "optimal");
  EXPECT_EQ(row["dimacs"].size(), 6u);
  EXPECT_THAT(run.error, HasSubstr("optimal after"));

  const Outcome again = Sdpa({"--problem=" + file, "--json=-"});
  ASSERT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(nlohmann::json::parse(again.output)["results"][0]["primal"], row["primal"]);
}

TEST(Sdpa, ElementsAreRightByEachMethodPolicyAndPlacement) {
  const Outcome run = Sdpa({"--generate=control:n=3", "--mode=elements", "--method=terms,formulas",
                            "--policy=all", "--threads=1", "--repetitions=1",
                            "--placement=first-touch,local,interleaved", "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto rows = nlohmann::json::parse(run.output)["results"];
  EXPECT_EQ(rows.size(), 2u * 3u * 4u) << "none, scatter, compact and compact+";
  for (const auto& row : rows) {
    EXPECT_EQ(row["mode"], "elements");
    EXPECT_LE(row["largest_error"].get<double>(), 1e-10) << row;
  }
}

TEST(Sdpa, BadInputIsOneSentence) {
  const auto error = [](std::vector<std::string> arguments) {
    const Outcome run = Sdpa(std::move(arguments));
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.output, "");
    return run.error;
  };
  EXPECT_THAT(error({}), HasSubstr("says what to solve"));
  EXPECT_THAT(error({"--problem=absent.dat-s"}), HasSubstr("absent.dat-s: cannot be read"));
  const std::string bad = FileOf("bad.dat-s", "1\n1\n2\n1\n2 1 1 1 1\n");
  EXPECT_THAT(error({"--problem=" + bad}), HasSubstr("bad.dat-s:5: found '2'"));
}

// x >= 1 and x <= 0.
TEST(Sdpa, InfeasibleProblemsComeWithAProof) {
  const std::string empty =
      FileOf("empty.dat-s", "1\n1\n-2\n1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 -1\n");
  const Outcome run = Sdpa({"--problem=" + empty, "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto row = nlohmann::json::parse(run.output)["results"][0];
  EXPECT_EQ(row["phase"], "primal infeasible");
  EXPECT_TRUE(row["least_size"].is_null()) << "of any size: x >= 1 and x <= 0 add up to 0 >= 1";
  EXPECT_EQ(row["proof_residual"], 0);
  EXPECT_THAT(run.error, HasSubstr("Y proves it\n"));

  const Outcome nearly = Sdpa({"--generate=infeasible:primal", "--json=-"});
  ASSERT_EQ(nearly.code, 0) << nearly.error;
  EXPECT_THAT(nearly.error, HasSubstr("Y proves it\n"));
}

// A point on the way to x = (1, 1e4, 1e8, 1e12) looks as if there were no Y: there is.
TEST(Sdpa, LargeSolutionsAreNoProofOfInfeasibility) {
  const std::string chain =
      FileOf("chain.dat-s",
             "4\n1\n-4\n0 0 0 1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 -1e4\n2 1 2 2 1\n2 1 3 3 -1e4\n"
             "3 1 3 3 1\n3 1 4 4 -1e4\n4 1 4 4 1\n");
  const Outcome run = Sdpa({"--problem=" + chain, "--json=-"});
  ASSERT_EQ(run.code, 0) << run.error;
  const auto row = nlohmann::json::parse(run.output)["results"][0];
  EXPECT_EQ(row["phase"], "optimal");
  EXPECT_NEAR(row["primal"].get<double>(), 1e12, 1e6);

  // x >= 10^9, as a row of small numbers.
  const std::string large =
      FileOf("large.dat-s", "1\n1\n-2\n1\n1 1 1 1 1\n1 1 2 2 1e-9\n0 1 2 2 1\n");
  const Outcome bounded = Sdpa({"--problem=" + large, "--json=-"});
  ASSERT_EQ(bounded.code, 0) << bounded.error;
  const auto of_bounded = nlohmann::json::parse(bounded.output)["results"][0];
  EXPECT_EQ(of_bounded["phase"], "optimal");
  EXPECT_NEAR(of_bounded["primal"].get<double>(), 1e9, 1e3);
}

// Y_11 = 0, Y_kk = 2 Y_(k-1, k+1) and Y_nn = 1 leave one Y, of the last element alone, and the
// value -1. Points within any tolerance have others: their Y_kk need not be 0.
TEST(Sdpa, AValueThatOnlyRoundingsAllowIsNotOptimal) {
  constexpr int kRows = 8;
  std::string text = "8\n1\n8\n0 0 0 0 0 0 0 1\n";
  for (int k = 1; k <= kRows; ++k) {
    const std::string row = std::to_string(k);
    text += "0 1 " + row + " " + row + " -1\n" + row + " 1 " + row + " " + row + " 1\n";
    if (k < kRows) text += "0 1 " + row + " " + std::to_string(k + 1) + " 0.3\n";
    if (k > 1 && k < kRows) {
      text += row + " 1 " + std::to_string(k - 1) + " " + std::to_string(k + 1) + " -1\n";
    }
  }
  for (const std::string precision : {"auto", "double", "dd"}) {
    const Outcome run = Sdpa({"--problem=" + FileOf("faces.dat-s", text), "--json=-",
                              "--tolerance=1e-7", "--precision=" + precision});
    const auto row = nlohmann::json::parse(run.output)["results"][0];
    if (row["phase"] != "optimal") continue;
    EXPECT_NEAR(row["dual"].get<double>(), -1, 1e-5) << precision;
  }
}

}  // namespace
