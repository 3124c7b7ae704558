// Runs a command and notes when it said what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sdpa {

// A value: of its output and of its errors.
struct Line {
  std::string text;
  double seconds = 0;  // since the command was started
};

// In this folder. Errors: Unavailable where it ends with another exit code than 0, with its last
// line.
absl::StatusOr<std::vector<Line>> RunCommand(const std::vector<std::string>& command,
                                             const std::string& folder);

// The first line that has `words` in it; null: none.
const Line* LineWith(const std::vector<Line>& lines, std::string_view words);
// The number that follows `words`, and what of "=" and ":" and spaces is between. NotFound where
// there is none.
absl::StatusOr<double> NumberAfter(const std::vector<Line>& lines, std::string_view words);

}  // namespace sdpa
