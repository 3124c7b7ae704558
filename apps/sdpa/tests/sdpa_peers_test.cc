// The program under the names and command lines of sdpa and csdp, called as modelling programs do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "apps/program/tests/run_program.h"

namespace {

using program::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kProgram[] = "apps/sdpa/sdpa";

std::string Folder() { return std::getenv("TEST_TMPDIR"); }

std::string FileOf(const std::string& name, const std::string& text) {
  const std::string path = Folder() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

std::string TextOf(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The program by a link whose name is csdp, from the folder that the link is in.
Outcome Csdp(const std::string& arguments) {
  const std::filesystem::path link = Folder() + "/csdp";
  if (!std::filesystem::exists(link)) {
    std::filesystem::create_symlink(std::filesystem::absolute(kProgram), link);
  }
  return program::RunProgram("/bin/sh", {"-c", "cd " + Folder() + " && ./csdp " + arguments});
}

Outcome Sdpa(std::vector<std::string> arguments) {
  return program::RunProgram(kProgram, std::move(arguments));
}

// min x_1 + 2 x_2 with x >= 1 twice: the value is 3, and x = (1, 1).
std::string Solvable() {
  return FileOf("solvable.dat-s",
                "2\n2\n2 -2\n1.0 2.0\n0 2 1 1 1.0\n0 2 2 2 1.0\n1 1 1 1 1.0\n1 2 1 1 1.0\n"
                "2 1 2 2 1.0\n2 2 2 2 1.0\n");
}
// x >= 1 and -x >= 0: X of this problem does not exist.
std::string Infeasible() {
  return FileOf("infeasible.dat-s", "1\n1\n-2\n1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 -1\n");
}
// min -x with x >= 0: unbounded, so that no Y is feasible.
std::string Unbounded() { return FileOf("unbounded.dat-s", "1\n1\n-1\n-1\n1 1 1 1 1\n"); }

TEST(Csdp, PrintsAndWritesAsItsCallersRead) {
  const std::string problem = Solvable();
  const Outcome run = Csdp(problem + " it.sol");
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output, StartsWith("Iter:  1 Ap: "));
  EXPECT_THAT(run.output, HasSubstr("Success: SDP solved\nPrimal objective value: "));
  EXPECT_THAT(run.output, HasSubstr("\nDIMACS error measures: "));
  // Flagmatic takes the last word of this line for the value.
  const std::size_t line = run.output.find("Primal objective value:");
  EXPECT_NEAR(std::atof(run.output.c_str() + line + 23), 3, 1e-6);
  // x in the first line, then "matrix block row column value".
  std::ifstream solution(Folder() + "/it.sol");
  double first = 0, second = 0, value = 0;
  int matrix = 0, block = 0, row = 0, column = 0;
  solution >> first >> second >> matrix >> block >> row >> column >> value;
  EXPECT_NEAR(first, 1, 1e-6);
  EXPECT_NEAR(second, 1, 1e-6);
  EXPECT_EQ(matrix, 1);
  // From its own solution there is nothing left to do.
  const Outcome again = Csdp(problem + " again.sol it.sol");
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_THAT(again.output, StartsWith("Success: SDP solved"));
}

TEST(Csdp, ExitsWithItsCodes) {
  EXPECT_EQ(Csdp(Infeasible()).code, 2);
  const Outcome unbounded = Csdp(Unbounded() + " proof.sol");
  EXPECT_EQ(unbounded.code, 1) << unbounded.error;
  EXPECT_THAT(unbounded.output, HasSubstr("Success: SDP is primal infeasible\n"));
  // a'y = -1 with a = -1.
  EXPECT_NEAR(std::atof(TextOf(Folder() + "/proof.sol").c_str()), 1, 1e-12);
  EXPECT_EQ(Csdp("").code, 200);
  EXPECT_EQ(Csdp("none.dat-s").code, 201);
  EXPECT_EQ(Csdp(FileOf("bad.dat-s", "1\n1\n2\nnan\n")).code, 201);
  const Outcome initial = Csdp(Solvable() + " it.sol none.sol");
  EXPECT_EQ(initial.code, 202);
  EXPECT_EQ(initial.error, "csdp: none.sol: cannot be read: No such file or directory\n");
  const Outcome nowhere = Csdp(Solvable() + " none/it.sol");
  EXPECT_EQ(nowhere.code, 204);
  EXPECT_THAT(nowhere.output, HasSubstr("Success: SDP solved")) << "its lines are there";
}

TEST(Csdp, ReadsItsParametersInTheFolderThatItIsCalledIn) {
  const std::string problem = Solvable();
  const std::string parameters = FileOf("param.csdp", "printlevel=0\nmaxiter=2\n");
  const Outcome run = Csdp(problem + " > /dev/null");
  EXPECT_EQ(run.code, 4) << run.error;
  EXPECT_EQ(Csdp(problem).output, "");
  std::filesystem::remove(parameters);
}

TEST(Sdpa, WritesTheResultWhateverThePhase) {
  const std::string result = Folder() + "/it.out";
  const Outcome run = Sdpa({"-ds", Solvable(), "-o", result, "-numThreads", "99", "-dimacs"});
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("phase.value  = pdOPT"));
  EXPECT_THAT(run.output, HasSubstr("\nerr6 = "));
  const std::string text = TextOf(result);
  EXPECT_THAT(text, StartsWith("phase.value  = pdOPT"));
  EXPECT_THAT(text, HasSubstr("\nobjValPrimal = +3.0000"));
  EXPECT_THAT(text, HasSubstr("\n}\nyMat = \n{\n{ {+"));

  EXPECT_EQ(Sdpa({Infeasible(), result}).code, 0);
  EXPECT_THAT(TextOf(result), StartsWith("phase.value  = dUNBD"));
  EXPECT_EQ(Sdpa({Unbounded(), result}).code, 0);
  EXPECT_THAT(TextOf(result), StartsWith("phase.value  = pUNBD"));
}

TEST(Sdpa, SaysWhyThereIsNoResult) {
  const std::string before = FileOf("it.out", "phase.value  = pdOPT\n");
  const Outcome none = Sdpa({"-ds", "none.dat-s", "-o", before});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(TextOf(before), "") << "nobody takes an older result for this run's";
  EXPECT_EQ(none.error, "sdpa: none.dat-s: cannot be read: No such file or directory\n");
  const Outcome parameters =
      Sdpa({"-ds", Solvable(), "-o", Folder() + "/it.out", "-p", "none.sdpa"});
  EXPECT_EQ(parameters.code, 0) << "as sdpa goes on by its defaults";
  EXPECT_EQ(parameters.error, "sdpa: none.sdpa is not there: the parameters are the defaults\n");
}

}  // namespace
