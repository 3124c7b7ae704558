#include "apps/sdpa/peers/csdp_parameters.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace sdpa {
namespace {

std::optional<double> NumberAt(std::string_view text) {
  double number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

CsdpParameters ParseCsdpParameters(std::string_view text) {
  CsdpParameters parameters;
  std::optional<double> tolerance;
  for (const auto part : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    const std::string line(part);
    const std::size_t sign = line.find('=');
    if (sign == std::string::npos) continue;
    const std::string name(
        absl::AsciiStrToLower(std::string(absl::StripAsciiWhitespace(line.substr(0, sign)))));
    const std::string rest(absl::StripAsciiWhitespace(line.substr(sign + 1)));
    const std::optional<double> value = NumberAt(rest);
    if (!value || !(*value >= 0)) continue;
    if (name == "axtol" || name == "atytol" || name == "objtol") {
      tolerance = std::min(tolerance.value_or(*value), *value);
    } else if (name == "maxiter" && *value >= 1) {
      parameters.most_iterations = static_cast<int>(std::min(*value, 1e6));
    } else if (name == "printlevel") {
      parameters.print_level = static_cast<int>(std::min(*value, 4.0));
    }
  }
  constexpr double kLeast = 1e-28, kMost = 1;
  if (tolerance) parameters.tolerance = std::clamp(*tolerance, kLeast, kMost);
  return parameters;
}

}  // namespace sdpa
