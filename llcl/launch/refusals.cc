#include "llcl/launch/refusals.h"

namespace llcl {

std::optional<std::string> Refusals::Add(std::string_view who, std::string_view why,
                                         std::int64_t now_ms) {
  ++count_;
  const bool is_due = count_ <= kNamed || now_ms - last_line_ms_ >= kBetweenLinesMs;
  if (!is_due) {
    ++unsaid_;
    return std::nullopt;
  }
  std::string line = "turned away " + std::string(who) + ": " + std::string(why);
  if (unsaid_ > 0) line += "; and " + std::to_string(unsaid_) + " others since the last line";
  unsaid_ = 0;
  last_line_ms_ = now_ms;
  return line;
}

std::optional<std::string> Refusals::Rest() const {
  if (unsaid_ == 0) return std::nullopt;
  return "turned away " + std::to_string(unsaid_) + " more, " + std::to_string(count_) + " in all";
}

}  // namespace llcl
