#include "apps/program/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace program {
namespace {

bool IsTerminal(Stream stream) {
  const char* kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::string_view(kind) == "dumb";
  return !dumb && isatty(stream == Stream::kOutput ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

}  // namespace

Color ColorOf(Stream stream) {
  const char* unwanted = std::getenv("NO_COLOR");
  if (unwanted != nullptr && *unwanted != '\0') return Color::kOff;
  return IsTerminal(stream) ? Color::kOn : Color::kOff;
}

Progress::Progress() : terminal_(IsTerminal(Stream::kError)) {}

Progress::~Progress() {
  if (shown_ > 0) std::cerr << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
}

void Progress::Show(std::string_view line) {
  if (!terminal_) return;
  const std::size_t rest = shown_ > line.size() ? shown_ - line.size() : 0;
  std::cerr << '\r' << line << std::string(rest, ' ') << std::flush;
  shown_ = line.size();
}

}  // namespace program
