// Lines about refused callers: a line for each of the first, then a line a second at most, with a
// count, so a flood of strangers causes no flood of lines.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace llcl {

// A value.
class Refusals {
 public:
  // So many have a line each.
  static constexpr std::int64_t kNamed = 8;
  static constexpr std::int64_t kBetweenLinesMs = 1000;

  // Counts a refusal at `now_ms`, on a monotonic clock; a line for it, or none.
  std::optional<std::string> Add(std::string_view who, std::string_view why, std::int64_t now_ms);
  // At the end: a line where some were counted and not said.
  std::optional<std::string> Rest() const;

  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
  std::int64_t unsaid_ = 0;
  std::int64_t last_line_ms_ = 0;
};

}  // namespace llcl
