#include "apps/program/bytes.h"

#include <charconv>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace program {

absl::StatusOr<std::uint64_t> ParseBytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},     {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
      {"kB", 1e3}, {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
  for (const auto& [name, factor] : kUnits) {
    if (error != std::errc() || unit != name || !(number * factor >= 1) ||
        number * factor >= 0x1p63)
      continue;
    return static_cast<std::uint64_t>(number * factor);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(text), "' is no number of bytes, as 6GiB or 500MB"));
}

std::string FormatBytes(double bytes) {
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return absl::StrFormat("%.0f %s", bytes, bytes == 1 ? "byte" : "bytes");
  const char* unit = kUnits[0];
  for (const char* const each : kUnits) {
    bytes /= 1000;
    unit = each;
    if (bytes < 999.95) break;
  }
  return absl::StrFormat("%.1f %s", bytes, unit);
}

}  // namespace program
