#include "apps/sdpa/benches/command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

// For a shell.
std::string Quoted(std::string_view word) {
  std::string quoted = "'";
  for (const char letter : word)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

}  // namespace

absl::StatusOr<std::vector<Line>> RunCommand(const std::vector<std::string>& command,
                                             const std::string& folder) {
  std::string shell = "cd " + Quoted(folder) + " && exec";
  for (const std::string& word : command) absl::StrAppend(&shell, " ", Quoted(word));
  shell += " 2>&1";
  const auto begun = Clock::now();
  std::FILE* const pipe = popen(shell.c_str(), "r");
  if (pipe == nullptr) return absl::UnavailableError("cannot start " + command.front());
  std::vector<Line> lines;
  char* text = nullptr;
  std::size_t size = 0;
  for (ssize_t length; (length = getline(&text, &size, pipe)) > 0;) {
    if (text[length - 1] == '\n') --length;
    lines.push_back({std::string(text, static_cast<std::size_t>(length)),
                     std::chrono::duration<double>(Clock::now() - begun).count()});
  }
  std::free(text);
  if (const int status = pclose(pipe); status != 0) {
    return absl::UnavailableError(absl::StrCat("`", shell, "` ended with status ", status, ": ",
                                               lines.empty() ? "" : lines.back().text));
  }
  return lines;
}

const Line* LineWith(const std::vector<Line>& lines, std::string_view words) {
  const auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& each) {
    return each.text.find(words) != std::string::npos;
  });
  return line == lines.end() ? nullptr : &*line;
}

absl::StatusOr<double> NumberAfter(const std::vector<Line>& lines, std::string_view words) {
  if (const Line* const line = LineWith(lines, words)) {
    const char* const rest = line->text.c_str() + line->text.find(words) + words.size();
    const char* begin = rest;
    while (*begin == ' ' || *begin == '=' || *begin == ':') ++begin;
    char* end = nullptr;
    const double number = std::strtod(begin, &end);
    if (end != begin) return number;
  }
  return absl::NotFoundError(absl::StrCat("no number after '", std::string(words), "'"));
}

}  // namespace sdpa
