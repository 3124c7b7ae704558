#include "apps/graph/finite_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace graph {
namespace {

// Of a number that is no double: is it too small, rather than too large? It is where the exponent
// leaves its first digit that is not 0 behind the point.
bool IsTooSmall(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size()),
                    first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view text = number.substr(e + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc()) return text.starts_with('-');
  }
  return exponent < static_cast<std::int64_t>(first) - static_cast<std::int64_t>(point);
}

}  // namespace

std::optional<double> FiniteNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    return IsTooSmall(text) ? std::optional(0.0) : std::nullopt;
  }
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace graph
