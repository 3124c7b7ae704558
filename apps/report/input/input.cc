#include "apps/report/input/input.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace report {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), {});
  if (file && !file.bad()) return text;
  const std::string reason = errno != 0 ? std::strerror(errno) : "read error";
  return errno == ENOENT ? absl::NotFoundError("cannot read " + path + ": " + reason)
                         : absl::UnavailableError("cannot read " + path + ": " + reason);
}

absl::StatusOr<Json> ParseJson(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    return absl::InvalidArgumentError(path + ": line " + std::to_string(line) +
                                      ": expected JSON, as a program writes it with --json");
  }
}

absl::StatusOr<Run> ReadRun(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok()) return text.status();
  const auto json = ParseJson(*text, path);
  if (!json.ok()) return json.status();
  const auto refuse = [&](const std::string& what) {
    return absl::InvalidArgumentError(path + ": expected " + what +
                                      ", as a program writes it with --json");
  };
  if (!json->is_object()) return refuse("an object");
  const auto has = [&](const char* key, auto is) {
    return json->contains(key) && is((*json)[key]);
  };
  const auto is_object = [](const Json& value) { return value.is_object(); };
  if (!has("app", [](const Json& value) { return value.is_string(); })) return refuse("an \"app\"");
  if (!has("machine", is_object)) return refuse("a \"machine\"");
  if (!has("parameters", is_object)) return refuse("\"parameters\"");
  if (!has("results", [](const Json& value) {
        return value.is_array() && std::all_of(value.begin(), value.end(),
                                               [](const Json& row) { return row.is_object(); });
      })) {
    return refuse("\"results\", a list of objects");
  }
  if (!json->contains("verified") || (*json)["verified"] != true) {
    return refuse("\"verified\":true");
  }
  return Run{path,
             (*json)["app"].get<std::string>(),
             (*json)["machine"],
             (*json)["parameters"],
             (*json)["results"],
             ""};
}

std::string CommandOf(const Run& run) { return TextOf(run.parameters, "command"); }

std::string CommandsOf(const std::vector<Run>& runs) {
  std::string commands;
  for (const Run& run : runs) {
    if (CommandOf(run).empty()) continue;
    commands += (commands.empty() ? "" : "\n") + CommandOf(run);
  }
  return commands;
}

std::string BriefOf(const Json& object, const std::string& key) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_number_float()) return TextOf(object, key);
  char text[64];
  std::snprintf(text, sizeof text, "%.12g", member->get<double>());
  return text;
}

std::string TextOf(const Json& object, const std::string& key) {
  const auto member = object.find(key);
  if (member == object.end() || member->is_null()) return "";
  if (member->is_string()) return member->get<std::string>();
  if (!member->is_number_float()) return member->dump();
  char text[64];
  const double value = member->get<double>();
  // Seconds may be small; what is larger than a thousandth reads best with three decimals.
  std::snprintf(text, sizeof text, value != 0 && value > -1e-3 && value < 1e-3 ? "%.3g" : "%.3f",
                value);
  return text;
}

std::vector<std::string> Values(const std::vector<Json>& rows, const std::string& key) {
  std::vector<std::string> values;
  for (const Json& row : rows) {
    const std::string value = TextOf(row, key);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

double NumberOf(const Json& object, const std::string& key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_number() ? member->get<double>() : 0;
}

std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace report
