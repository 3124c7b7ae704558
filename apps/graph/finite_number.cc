#include "apps/graph/finite_number.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "absl/strings/charconv.h"

namespace graph {

std::optional<double> FiniteNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Abseil's says which: the value is then the largest double, or next to 0.
    absl::from_chars(text.data(), text.data() + text.size(), value);
    return std::abs(value) < 1 ? std::optional(0.0) : std::nullopt;
  }
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace graph
