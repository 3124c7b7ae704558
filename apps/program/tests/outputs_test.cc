#include "apps/program/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace program {
namespace {

std::string InTemp(const std::string& name) { return testing::TempDir() + "/" + name; }

std::string Contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Outputs, AFileThatAFlagAsksForHasItsContentsAfterCommit) {
  const std::string path = InTemp("asked.json");
  auto outputs = Outputs::Open({{"--json", path}, {"--svg", ""}});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_TRUE(outputs->Commit("--json", [] { return "{}\n"; }).ok());
  EXPECT_EQ(Contents(path), "{}\n");
}

TEST(Outputs, AFileThatNoFlagAsksForIsNotComputed) {
  auto outputs = Outputs::Open({{"--svg", ""}});
  ASSERT_TRUE(outputs.ok());
  EXPECT_TRUE(outputs->Commit("--svg", []() -> std::string { throw 1; }).ok());
}

TEST(Outputs, TextGoesToStandardErrorWhereAFileIsStandardOutput) {
  EXPECT_EQ(&Outputs::Open({{"--json", ""}})->text(), &std::cout);
  EXPECT_EQ(&Outputs::Open({{"--json", InTemp("file")}})->text(), &std::cout);
  EXPECT_EQ(&Outputs::Open({{"--json", "-"}})->text(), &std::cerr);
}

TEST(Outputs, TwoFilesCannotBothBeStandardOutput) {
  EXPECT_EQ(Outputs::Open({{"--json", "-"}, {"--trace", ""}, {"--svg", "-"}}).status().message(),
            "--json and --svg cannot both go to standard output");
}

TEST(Outputs, TwoFlagsCannotBothHaveOneFile) {
  const std::string path = InTemp("one");
  EXPECT_EQ(Outputs::Open({{"--json", path}, {"--svg", path}}).status().message(),
            "--json and --svg cannot both be written to " + path);
  EXPECT_TRUE(Outputs::Open({{"--json", "/dev/null"}, {"--svg", "/dev/null"}}).ok());
}

TEST(Outputs, APathThatCannotBeWrittenIsAnErrorBeforeTheWork) {
  EXPECT_THAT(Outputs::Open({{"--json", InTemp("no/such/folder")}}).status().message(),
              testing::HasSubstr("no/such/folder"));
}

}  // namespace
}  // namespace program
