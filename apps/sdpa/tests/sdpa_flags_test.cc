// The program's flags: how it solves, where it begins, the files that it writes, and the lines that
// it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

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
#include "apps/sdpa/tests/run_sdpa.h"

namespace sdpa {
namespace {

using nlohmann::json;
using program::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

bool IsThere(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

void ExpectKeys(const json& row, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) EXPECT_TRUE(row.contains(key)) << key << " of " << row;
}

// The contract's.
const std::vector<std::string> kKeys = {"mode",       "instance",         "m",
                                        "policy",     "placement",        "threads",
                                        "devices",    "precision",        "schur",
                                        "phase",      "iterations",       "primal",
                                        "dual",       "elements_seconds", "cholesky_seconds",
                                        "copies_h2d", "copies_d2h",       "copies_d2d",
                                        "dimacs"};

TEST(Flags, EachWayToSolveHasARowWithTheContractsKeysAndTheKnownValue) {
  for (const std::vector<std::string>& flags : {std::vector<std::string>{},
                                                {"--schur=dense"},
                                                {"--schur=sparse"},
                                                {"--precision=dd"},
                                                {"--threads=1"},
                                                {"--threads=2", "--policy=compact"}}) {
    std::vector<std::string> arguments = flags;
    arguments.push_back(kRandom);
    const json row = RowOf(arguments);
    ExpectKeys(row, kKeys);
    ExpectKeys(row, {"seconds", "known"});
    EXPECT_NEAR(row["primal"].get<double>(), row["known"].get<double>(), 1e-5);
    EXPECT_FALSE(row.contains("virtual_seconds"));
    EXPECT_EQ(row["schur"],
              flags == std::vector<std::string>{"--schur=sparse"} ? "sparse" : "dense");
  }
}

TEST(Flags, PairsOfDoublesSolveToMoreDigits) {
  const json row = RowOf({kPentagon, "--precision=dd"});
  EXPECT_EQ(row["precision"], "dd");
  EXPECT_NEAR(row["primal"].get<double>(), std::sqrt(5.0), 1e-13);
  for (const json& error : row["dimacs"]) EXPECT_LT(std::abs(error.get<double>()), 1e-13);
}

TEST(Flags, SeveralThreadCountsAreSeveralRowsWithTheSameNumbers) {
  const json rows = RowsOf({kRandom, "--threads=1,2"});
  ASSERT_EQ(rows.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(rows[i]["threads"], i + 1);
    EXPECT_EQ(rows[i]["primal"], rows[0]["primal"]);
    EXPECT_EQ(rows[i]["dimacs"], rows[0]["dimacs"]);
  }
}

// 150 constraints are 6 tiles of 56 rows.
TEST(Flags, SimulatedDevicesTakeVirtualTimeAndCountedCopies) {
  const std::string problem = "--generate=random:blocks=20+d10,m=150";
  const json host = RowOf({problem});
  const json one = RowOf({problem, "--devices=sim"}), two = RowOf({problem, "--devices=sim:2"});
  for (const json& row : {one, two}) {
    ExpectKeys(row, kKeys);
    EXPECT_EQ(row["simulated"], true);
    EXPECT_GT(row["virtual_seconds"].get<double>(), 0);
    EXPECT_FALSE(row.contains("seconds"));
    // Tasks' real seconds are nothing to lay beside virtual ones.
    EXPECT_TRUE(row["elements_seconds"].is_null());
    EXPECT_TRUE(row["cholesky_seconds"].is_null());
    EXPECT_EQ(row["primal"], host["primal"]);
    EXPECT_EQ(row["iterations"], host["iterations"]);
  }
  // Each tile goes and comes once in each factorization, and there may be more of these.
  const int iterations = one["iterations"], there = one["copies_h2d"], back = one["copies_d2h"];
  EXPECT_GE(there, 6 * iterations);
  EXPECT_EQ(there % 6, 0);
  EXPECT_EQ(there, back);
  EXPECT_EQ(one["copies_d2d"], 0);
  EXPECT_GT(two["copies_h2d"].get<int>() + two["copies_d2d"].get<int>(), there);
  EXPECT_EQ(host["copies_h2d"], 0);
}

TEST(Flags, ElementsAreDrawnByThreads) {
  const std::string svg = PathOf("elements.svg");
  RowsOf({kPentagon, "--mode=elements", "--method=formulas,terms", "--threads=1,2",
          "--repetitions=1", "--svg=" + svg});
  for (const char* const line : {"formulas, none, first-touch", "terms, none, first-touch"}) {
    EXPECT_THAT(TextOf(svg), AllOf(HasSubstr("<svg"), HasSubstr(line)));
  }
}

TEST(Flags, ElementsHaveTheContractsKeysAndBothMethods) {
  const json rows = RowsOf({kPentagon, "--mode=elements", "--method=formulas,terms",
                            "--threads=1,2", "--repetitions=2"});
  ASSERT_EQ(rows.size(), 4u);
  int terms = 0;
  for (const json& row : rows) {
    ExpectKeys(row, kKeys);
    ExpectKeys(row, {"seconds", "method", "largest_error"});
    EXPECT_LE(row["largest_error"].get<double>(), 1e-10);
    EXPECT_EQ(row["elements_seconds"].is_null(), row["method"] == "formulas");
    terms += row["method"] == "terms" ? 1 : 0;
  }
  EXPECT_EQ(terms, 2);
}

TEST(Flags, FilesOfASolutionAreStartsFromWhichLittleIsLeft) {
  const std::string solution = PathOf("solution"), result = PathOf("result"),
                    output = PathOf("output"), svg = PathOf("svg"), copy = PathOf("copy.dat-s"),
                    dense = PathOf("copy.dat");
  const json row = RowOf({kRandom, "--solution=" + solution, "--result=" + result,
                          "--output=" + output, "--svg=" + svg, "--write=" + copy});
  EXPECT_THAT(TextOf(result), AllOf(HasSubstr("pdOPT"), HasSubstr("xVec")));
  const std::string x = TextOf(output);
  EXPECT_EQ(std::count(x.begin(), x.end(), '\n'), 20);
  EXPECT_THAT(TextOf(svg), AllOf(HasSubstr("<svg"), HasSubstr("elements")));
  for (const std::string& file : {solution, result}) {
    const json again = RowOf({kRandom, "--initial=" + file});
    EXPECT_LE(again["iterations"], 1) << file;
    EXPECT_NEAR(again["primal"].get<double>(), row["primal"].get<double>(), 1e-6);
  }
  EXPECT_EQ(RowOf({"--problem=" + copy, "--write=" + dense})["primal"], row["primal"]);
  EXPECT_EQ(RowOf({"--problem=" + dense})["primal"], row["primal"]);
  // Of another problem.
  const Outcome other = Sdpa({kPentagon, "--initial=" + solution});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.error, HasSubstr(solution + ":"));
}

TEST(Flags, AResultOfAnInfeasibleProblemSaysWhichSideIs) {
  const std::string result = PathOf("infeasible");
  EXPECT_EQ(RowOf({"--generate=infeasible:primal", "--result=" + result})["phase"],
            "primal infeasible");
  EXPECT_THAT(TextOf(result), HasSubstr("dUNBD"));
  EXPECT_THAT(TextOf(result), Not(HasSubstr("objValDual   = +0.0")));
  EXPECT_EQ(RowOf({"--generate=infeasible:dual", "--result=" + result})["phase"],
            "dual infeasible");
  EXPECT_THAT(TextOf(result), HasSubstr("pUNBD"));
}

TEST(Flags, ParametersAreSdpasAndFlagsGoBeforeThem) {
  const std::string file =
      FileOf("param.sdpa",
             "3 maxIteration\n1e-4 epsilonStar\n1e3 lambdaStar\n2 omegaStar\n-1e5 lowerBound\n"
             "1e5 upperBound\n0.1 betaStar\n0.2 betaBar\n0.9 gammaStar\n1e-4 epsilonDash\n");
  const Outcome few = Sdpa({kRandom, "--parameters=" + file});
  EXPECT_EQ(few.code, 4);
  EXPECT_THAT(few.output, HasSubstr("too many iterations after 3 iterations"));
  const json row = RowOf({kRandom, "--parameters=" + file, "--iterations=50"});
  EXPECT_LT(row["iterations"], RowOf({kRandom, "--start=1e3"})["iterations"]);
}

// What is asked for is what is verified: neither more nor less.
TEST(Flags, ALargeToleranceEndsARunEarlyAndVerified) {
  const json all = RowOf({kRandom});
  for (const char* const tolerance : {"1e-3", "1e-2", "0.5"}) {
    const json row = RowOf({kRandom, std::string("--tolerance=") + tolerance});
    EXPECT_LT(row["iterations"], all["iterations"]) << tolerance;
    for (const json& error : row["dimacs"]) {
      EXPECT_LE(std::abs(error.get<double>()), 10 * std::stod(tolerance));
    }
  }
}

// A run that its limit ends writes the point that it came to, however little time has passed.
TEST(Flags, IntegersThatAFileAsksForAreNamed) {
  const std::string file =
      FileOf("integers.dat-s", "1\n1\n-1\n1\n0 1 1 1 0.5\n1 1 1 1 1\n*INTEGER\n*1\n");
  const Outcome run = Sdpa({"--problem=" + file});
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output,
              HasSubstr("the file asks for integers, and this is the solution without"));
}

// The result, the solution and the row with its six errors are written whatever the end.
void ExpectAnswer(const Outcome& run, const std::string& files, const std::string& phase) {
  const json all = json::parse(run.output, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(all.is_object()) << run.output << run.error;
  EXPECT_EQ(all["verified"], false);
  const json row = all["results"][0];
  EXPECT_EQ(row["phase"], phase);
  EXPECT_TRUE(row["primal"].is_number() && row["dual"].is_number());
  EXPECT_EQ(row["dimacs"].size(), 6u);
  EXPECT_TRUE(IsThere(files + ".result") && IsThere(files + ".solution"));
  EXPECT_THAT(run.error, HasSubstr(phase + " after "));
}
std::vector<std::string> ToFiles(std::vector<std::string> arguments, const std::string& files) {
  for (const char* const flag : {"--json=-"}) arguments.push_back(flag);
  arguments.push_back("--result=" + files + ".result");
  arguments.push_back("--solution=" + files + ".solution");
  return arguments;
}

TEST(Flags, ARunThatALimitEndsWritesItsBestPoint) {
  const std::string few = PathOf("few"), short_time = PathOf("short");
  const Outcome by_iterations = Sdpa(ToFiles({kRandom, "--iterations=2"}, few));
  EXPECT_EQ(by_iterations.code, 4);
  ExpectAnswer(by_iterations, few, "too many iterations");
  const Outcome by_time = Sdpa(ToFiles({kRandom, "--seconds=0"}, short_time));
  EXPECT_EQ(by_time.code, 4);
  ExpectAnswer(by_time, short_time, "time limit");
}

TEST(Flags, WhatIsRefusedIsOneSentence) {
  const auto expect = [](const std::vector<std::string>& arguments, const std::string& part) {
    const Outcome run = Sdpa(arguments);
    EXPECT_EQ(run.code, 2) << part;
    EXPECT_EQ(run.output, "") << part;
    EXPECT_THAT(run.error, HasSubstr(part));
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
  };
  const std::string some = PathOf("some");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
      {{}, "--problem, --generate, --theta and --max-cut"},
      {{kPentagon, "--problem=x"}, "--generate"},
      {{"--generate=thing"}, "--generate: 'thing': no family 'thing'"},
      {{"--generate=theta:k=3"}, "--generate"},
      {{"--theta=absent"}, "absent"},
      {{"--max-cut=" + FileOf("nothing", "")}, "nothing"},
      {{kPentagon, "--mode=think"}, "--mode"},
      {{kPentagon, "--mode=elements", "--method=terms,guess"}, "--method: 'guess' is none of"},
      {{kPentagon, "--mode=elements", "--placement=here"}, "--placement: 'here' is none of"},
      {{kPentagon, "--mode=elements", "--repetitions=0"}, "--repetitions"},
      {{kPentagon, "--mode=elements", "--solution=" + some}, "--mode=elements solves nothing"},
      {{kPentagon, "--mode=elements", "--result=" + some}, "--mode=elements solves nothing"},
      {{kPentagon, "--mode=elements", "--output=" + some}, "--mode=elements solves nothing"},
      {{kPentagon, "--mode=elements", "--devices=sim"}, "--mode=elements solves nothing"},
      {{kPentagon, "--mode=elements", "--precision=dd"}, "--mode=elements solves nothing"},
      {{kPentagon, "--mode=elements", "--checkpoint=" + some}, "--mode=elements solves nothing"},
      {{kPentagon, "--mode=elements", "--tolerance=1e-3"}, "that --tolerance has no effect"},
      {{kPentagon, "--mode=elements", "--iterations=3"}, "that --iterations has no effect"},
      {{kPentagon, "--mode=elements", "--start=3"}, "that --start has no effect"},
      {{kPentagon, "--mode=elements",
        "--parameters=" + FileOf("good.sdpa",
                                 "9 x\n1e-7 e\n1 y\n2 z\n-1 l\n1 u\n0.1 b\n0.2 b\n"
                                 "0.9 g\n1e-7 e\n")},
       "that --parameters has no effect"},
      {{kPentagon, "--mode=elements", "--method=formulas", "--schur=sparse"}, "--schur has no"},
      {{kPentagon, "--method=formulas"}, "--method has an effect with --mode=elements only"},
      {{kPentagon, "--placement=local"}, "--placement has an effect with --mode=elements only"},
      {{kPentagon, "--repetitions=3"}, "--repetitions has an effect with --mode=elements only"},
      {{kPentagon, "--start=1", "--initial=" + FileOf("six.ini-s", "1 2 3 4 5 6\n")},
       "--start and --initial"},
      {{kPentagon, "--checkpoint=" + some, "--resume", "--start=1"}, "--resume begins at"},
      {{kPentagon, "--devices=sim", "--policy=compact"}, "--policy has no effect"},
      {{kPentagon, "--parameters=" + FileOf("loose.sdpa",
                                            "9 x\n5 epsilonStar\n1 y\n2 z\n-1 l\n"
                                            "1 u\n0.1 b\n0.2 b\n0.9 g\n5 e\n")},
       "loose.sdpa: epsilonStar or epsilonDash is 5"},
      // Of 160 GB, which are not touched.
      {{"--problem=" + FileOf("huge.dat-s", "1\n1\n100000\n1\n1 1 1 1 1\n"),
        "--initial=" + FileOf("huge.ini-s", "1\n")},
       "huge.dat-s: the blocks' matrices and the problem's elements need"},
      {{kPentagon, "--json=" + some, "--svg=" + some}, "--json and --svg cannot both"},
      {{kPentagon, "--parameters=absent"}, "absent: cannot be read"},
      {{kPentagon, "--parameters=" + FileOf("bad.sdpa", "-1\n")}, "bad.sdpa:1: found '-1'"},
      {{kPentagon, "--initial=absent"}, "absent: cannot be read"},
      {{kPentagon, "--initial=" + FileOf("bad.ini-s", "1 2 x\n")}, "bad.ini-s:1"},
      {{kPentagon, "--iterations=0"}, "--iterations"},
      {{kPentagon, "--iterations=many"}, "--iterations"},
      {{kPentagon, "--tolerance=0"}, "--tolerance"},
      {{kPentagon, "--tolerance=2"}, "--tolerance"},
      {{kPentagon, "--start=-1"}, "--start"},
      {{kPentagon, "--start=nan"}, "--start: 'nan' is not a number from 1e-30 to 1e+30"},
      {{kPentagon, "--tolerance=nan"}, "--tolerance: 'nan' is not a number from 1e-28 to 1"},
      {{kPentagon, "--seconds=nan"}, "--seconds: 'nan' is not a number from 0 to 1e+09"},
      {{kPentagon, "--seconds=-1"}, "--seconds"},
      {{kPentagon, "--mode=elements", "--seconds=1"}, "that --seconds has no effect"},
      {{kPentagon, "--precision=half"}, "--precision"},
      {{kPentagon, "--schur=thin"}, "--schur"},
      {{kPentagon, "--precision=dd", "--schur=sparse"}, "--schur=sparse works with"},
      {{kPentagon, "--policy=random"}, "unknown policy 'random'"},
      {{kPentagon, "--threads=0"}, "--threads"},
      {{kPentagon, "--devices=tpu:1"}, "--devices"},
      {{kPentagon, "--devices=cuda:99"}, "cuda"},
      {{kPentagon, "--devices=sim", "--precision=dd"}, "--devices: no device has numbers"},
      {{kPentagon, "--devices=sim", "--schur=sparse"}, "--devices: a sparse matrix"},
      {{kPentagon, "--checkpoint-seconds=5"}, "--checkpoint"},
      {{kPentagon, "--resume"}, "--checkpoint"},
      {{kPentagon, "--checkpoint=" + some, "--threads=1,2"}, "of one run"},
      {{kPentagon, "--solution=" + some, "--threads=1,2"}, "of one run"},
      {{kPentagon, "--write=" + PathOf("no/such/folder")}, "no/such/folder"},
      {{kPentagon, "--unknown"}, "--unknown"},
  };
  for (const auto& [arguments, part] : refused) expect(arguments, part);
  EXPECT_FALSE(IsThere(some));
  EXPECT_EQ(Sdpa({"--help"}).code, 0);
}

}  // namespace
}  // namespace sdpa
