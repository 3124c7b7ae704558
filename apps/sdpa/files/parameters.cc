#include "apps/sdpa/files/parameters.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/files/tokens.h"

namespace sdpa {
namespace {

// The first words of the lines that have any.
class Lines {
 public:
  Lines(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  // "" at the end.
  std::string_view Next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      constexpr std::string_view kSpaces = " \t\r,";
      line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
      if (!line.empty()) return line.substr(0, line.find_first_of(kSpaces));
    }
    ++line_;
    return {};
  }

  absl::Status Expected(std::string_view found, const std::string& what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ":", line_, ": found ", Shown(found), ", expected ", what));
  }

 private:
  std::string file_;
  std::string_view text_;
  int line_ = 0;
};

// One conversion of a double: %, flags, a width, a precision and one of eEfFgG, before which GMP's
// numbers have an F.
bool IsFormat(std::string_view format) {
  if (format == "NOPRINT") return true;
  const auto skip = [&](std::string_view allowed) {
    format.remove_prefix(std::min(format.find_first_not_of(allowed), format.size()));
  };
  if (!format.starts_with('%')) return false;
  format.remove_prefix(1);
  skip("+-#0");
  skip("0123456789");
  if (format.starts_with('.')) {
    format.remove_prefix(1);
    skip("0123456789");
  }
  if (format.size() == 2 && format.starts_with('F')) format.remove_prefix(1);
  return format.size() == 1 && std::string_view("eEfFgG").find(format[0]) != std::string_view::npos;
}

}  // namespace

absl::StatusOr<Parameters> ParseParameters(const std::string& file, std::string_view bytes) {
  Lines lines(file, bytes);
  Parameters parameters;
  absl::Status status;
  const auto read = [&]<typename Value>(Value& to, const char* what, auto is_allowed) {
    if (!status.ok()) return;
    const std::string_view token = lines.Next();
    const std::optional<Value> value = NumberOf<Value>(token);
    if (!value || !is_allowed(*value)) {
      status = lines.Expected(token, what);
      return;
    }
    to = *value;
  };
  const auto above = [](double least) { return [=](double value) { return value > least; }; };
  const auto fraction = [](double value) { return 0 <= value && value < 1; };

  read(parameters.max_iteration, "maxIteration, a whole number above 0",
       [](int value) { return value > 0; });
  read(parameters.epsilon_star, "epsilonStar, a number above 0", above(0));
  read(parameters.lambda_star, "lambdaStar, a number above 0", above(0));
  read(parameters.omega_star, "omegaStar, a number above 1", above(1));
  read(parameters.lower_bound, "lowerBound, a number", [](double) { return true; });
  read(parameters.upper_bound, "upperBound, a number above lowerBound",
       above(parameters.lower_bound));
  read(parameters.beta_star, "betaStar, a number from 0 to below 1", fraction);
  read(parameters.beta_bar, "betaBar, a number from betaStar to below 1",
       [&](double value) { return parameters.beta_star <= value && value < 1; });
  read(parameters.gamma_star, "gammaStar, a number between 0 and 1",
       [](double value) { return 0 < value && value < 1; });
  read(parameters.epsilon_dash, "epsilonDash, a number above 0", above(0));
  if (!status.ok()) return status;

  bool may_be_bits = true;
  for (const char* const what : {"xPrint", "XPrint", "YPrint", "infPrint"}) {
    std::string_view token = lines.Next();
    if (std::exchange(may_be_bits, false) && NumberOf<int>(token)) token = lines.Next();
    if (token.empty()) return parameters;
    if (!IsFormat(token)) {
      return lines.Expected(token, absl::StrCat(what,
                                                ", a format of one number as %+8.3e, or "
                                                "NOPRINT"));
    }
  }
  if (const std::string_view token = lines.Next(); !token.empty()) {
    return lines.Expected(token, "nothing after infPrint");
  }
  return parameters;
}

}  // namespace sdpa
