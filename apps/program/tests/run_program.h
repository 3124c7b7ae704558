// Starts a program as a user would and keeps its output. For tests.
#pragma once

#include <string>
#include <vector>

namespace program {

// A value.
struct Outcome {
  int code = -1;       // exit code; 128 + n when signal n ended it
  std::string output;  // standard output
  std::string error;   // standard error
};

// `path` is relative to the workspace root, as "apps/stream/stream"; the test
// has it as data. Neither stream is a terminal.
Outcome RunProgram(const std::string& path, std::vector<std::string> arguments);

}  // namespace program
