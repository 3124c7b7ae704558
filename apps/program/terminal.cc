#include "apps/program/terminal.h"

#include <unistd.h>

#include <cmath>
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

std::string TimeLeft(double seconds, double share_done) {
  if (share_done < 0.01 || seconds < 2) return "";
  const double left = seconds * (1 - share_done) / share_done;
  const auto rounded = [](double number) { return std::to_string(std::lround(number)); };
  if (left < 100) return ", about " + rounded(left) + " s left";
  if (left < 6000) return ", about " + rounded(left / 60) + " min left";
  return ", about " + rounded(left / 3600) + " h left";
}

}  // namespace program
