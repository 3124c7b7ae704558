// The files that a report is made from.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace report {

using Json = nlohmann::ordered_json;

// All of it; NotFound or Unavailable with the path.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// InvalidArgument names file and line where it is not JSON.
absl::StatusOr<Json> ParseJson(std::string_view text, const std::string& path);

// A value: the JSON object that one run of a program wrote for --json.
struct Run {
  std::string path;
  std::string app;
  Json machine;
  Json parameters;
  Json results;
  std::string picture;  // SVG, where there is one
};

// InvalidArgument where keys that every program writes are missing, or the
// answer was not verified.
absl::StatusOr<Run> ReadRun(const std::string& path);

// The command in the run's parameters; "" where it has none.
std::string CommandOf(const Run& run);
// Those of all runs, a line each.
std::string CommandsOf(const std::vector<Run>& runs);

// The member as text, a number with up to three decimals; "" if it is not there.
std::string TextOf(const Json& object, const std::string& key);

// A number as short as it can be said: 1.25, 5000000000; other members as text.
std::string BriefOf(const Json& object, const std::string& key);

// The distinct values of a key in these rows, as text, in order of appearance.
std::vector<std::string> Values(const std::vector<Json>& rows, const std::string& key);

// The member as a number; 0 if it is none.
double NumberOf(const Json& object, const std::string& key);

// "scatter, compact and compact+".
std::string Listed(const std::vector<std::string>& words);

}  // namespace report
