#include "apps/program/run.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace program {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string output;
  std::string error;
};

Outcome RunWith(std::vector<const char*> arguments, const std::function<absl::Status()>& body) {
  CLI::App app("Counts.", "counter");
  AddVersion(app, "0123456789ab-modified");
  int number = 0;
  std::uint64_t size = 0;
  app.add_option("--number", number, "how many")->check(CLI::Range(1, 9));
  app.add_option("--size", size, "of each");
  arguments.insert(arguments.begin(), "counter");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = Run(app, static_cast<int>(arguments.size()), arguments.data(), body);
  outcome.output = testing::internal::GetCapturedStdout();
  outcome.error = testing::internal::GetCapturedStderr();
  return outcome;
}

absl::Status Never() { throw std::logic_error("the body must not run"); }

void ExpectOneSentence(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, StartsWith("counter: "));
  EXPECT_THAT(outcome.error, HasSubstr(part));
  EXPECT_EQ(outcome.error.find('\n'), outcome.error.size() - 1) << outcome.error;
}

TEST(RunTest, AVerifiedAnswerExitsZeroAndSaysNothing) {
  const Outcome outcome = RunWith({"--number=3"}, [] { return absl::OkStatus(); });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.error, "");
}

TEST(RunTest, VersionNamesTheCommitAndExitsZeroWithoutRunning) {
  const Outcome outcome = RunWith({"--version"}, Never);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "counter 0.1.0 (commit 0123456789ab-modified)\n");
}

TEST(RunTest, HelpGoesToStandardOutputAndExitsZeroWithoutRunning) {
  const Outcome outcome = RunWith({"--help"}, Never);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("--number"));
  EXPECT_EQ(outcome.error, "");
}

TEST(RunTest, AnUnknownFlagIsNamedInOneSentence) {
  ExpectOneSentence(RunWith({"--colour=red"}, Never), "--colour=red");
}

TEST(RunTest, AValueOutOfRangeIsNamedInOneSentence) {
  ExpectOneSentence(RunWith({"--number=12"}, Never), "12");
  ExpectOneSentence(RunWith({"--number=many"}, Never), "--number");
  ExpectOneSentence(RunWith({"--size=-1"}, Never), "\"-1\" is less than 0");
  ExpectOneSentence(RunWith({"--size=99999999999999999999"}, Never), "99999999999999999999");
}

TEST(RunTest, AFailureIsItsMessageOnOneLine) {
  ExpectOneSentence(RunWith({}, [] { return absl::DataLossError("array a:\n expected 3\n"); }),
                    "array a: expected 3\n");
}

TEST(RunTest, AnExceptionIsAnErrorAndNoCrash) {
  ExpectOneSentence(RunWith({}, []() -> absl::Status { throw std::runtime_error("lost it"); }),
                    "lost it");
  ExpectOneSentence(RunWith({}, []() -> absl::Status { throw std::bad_alloc(); }), "memory");
}

TEST(RunTest, UnderBazelRunFileNamesAreTheCallers) {
  const std::filesystem::path before = std::filesystem::current_path();
  const auto folder = std::filesystem::path(testing::TempDir()) / "callers";
  std::filesystem::create_directories(folder);
  setenv("BUILD_WORKING_DIRECTORY", folder.c_str(), 1);
  const Outcome outcome = RunWith({}, [&] {
    return std::filesystem::equivalent(std::filesystem::current_path(), folder)
               ? absl::OkStatus()
               : absl::InternalError("started elsewhere");
  });
  unsetenv("BUILD_WORKING_DIRECTORY");
  std::filesystem::current_path(before);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

std::string CommandOfWords(std::vector<const char*> words) {
  words.insert(words.begin(), "/somewhere/counter");
  return CommandOf("//apps/counter", static_cast<int>(words.size()), words.data());
}

TEST(CommandOfTest, TheFlagsAreRepeatedAsTyped) {
  EXPECT_EQ(CommandOfWords({"--number=3", "--policy=compact+"}),
            "bazel run -c opt //apps/counter -- --number=3 --policy=compact+");
  EXPECT_EQ(CommandOfWords({}), "bazel run -c opt //apps/counter");
}

TEST(CommandOfTest, WhereResultsGoIsNoPartOfIt) {
  EXPECT_EQ(CommandOfWords(
                {"--json=-", "--number=3", "--svg", "x.svg", "--trace=x.json", "--output=x.txt"}),
            "bazel run -c opt //apps/counter -- --number=3");
}

TEST(CommandOfTest, AShellReadsWordsBackAsTheyWere) {
  EXPECT_EQ(CommandOfWords({"--topology=pack:2 core:3", "it's", ""}),
            "bazel run -c opt //apps/counter -- '--topology=pack:2 core:3' 'it'\\''s' ''");
}

}  // namespace
}  // namespace program
