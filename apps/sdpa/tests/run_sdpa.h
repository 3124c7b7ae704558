// Runs of the program, and the files of a test. For tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/program/tests/run_program.h"

namespace sdpa {

inline const std::string kProgram = "apps/sdpa/sdpa";
inline const std::string kPentagon = "--generate=theta:cycle,n=5";
inline const std::string kRandom = "--generate=random:blocks=8+d4,m=20";

inline program::Outcome Sdpa(std::vector<std::string> arguments) {
  return program::RunProgram(kProgram, std::move(arguments));
}

inline std::string PathOf(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

inline std::string FileOf(const std::string& name, const std::string& text) {
  std::ofstream(PathOf(name)) << text;
  return PathOf(name);
}

inline std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The rows of a run that is right.
inline nlohmann::json RowsOf(std::vector<std::string> arguments) {
  arguments.push_back("--json=-");
  const program::Outcome run = Sdpa(arguments);
  EXPECT_EQ(run.code, 0) << run.error;
  const nlohmann::json all = nlohmann::json::parse(run.output, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(all.is_object()) << run.output;
  EXPECT_EQ(all["verified"], true);
  return all["results"];
}
inline nlohmann::json RowOf(std::vector<std::string> arguments) {
  const nlohmann::json rows = RowsOf(std::move(arguments));
  EXPECT_EQ(rows.size(), 1u);
  return rows[0];
}

}  // namespace sdpa
