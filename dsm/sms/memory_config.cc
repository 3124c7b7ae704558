#include "dsm/sms/memory_config.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dsm {
namespace {

// "30%" of a whole, or "16G" bytes. Nothing: it is neither, or too much for 63 bits.
std::optional<std::uint64_t> Bytes(std::string_view value, std::uint64_t whole) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit = value.substr(static_cast<std::size_t>(end - value.data()));
  if (unit == "%") {
    if (whole == 0 || number > 100) return std::nullopt;
    return whole / 100 * number + whole % 100 * number / 100;
  }
  constexpr std::string_view kUnits = "KMGT";
  int shift = 0;
  if (!unit.empty()) {
    const std::size_t at = kUnits.find(unit[0]);
    if (unit.size() != 1 || at == std::string_view::npos) return std::nullopt;
    shift = 10 * (static_cast<int>(at) + 1);
  }
  if (number == 0 || number > (std::uint64_t{1} << 62 >> shift)) return std::nullopt;
  return number << shift;
}

}  // namespace

absl::StatusOr<MemoryConfig> ParseMemoryConfig(std::string_view text, const std::string& file) {
  MemoryConfig config;
  const std::pair<std::string_view, std::uint64_t*> names[] = {{"memory", &config.memory},
                                                               {"home", &config.home},
                                                               {"cache", &config.cache},
                                                               {"work", &config.work}};
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto wrong = [&](const std::string& what) {
      return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ": ", what));
    };
    line.resize(std::min(line.size(), line.find('#')));
    std::istringstream words(line);
    std::string name, value, more;
    if (!(words >> name)) continue;
    std::uint64_t* bytes = nullptr;
    for (const auto& [known, to] : names) {
      if (known == name) bytes = to;
    }
    if (bytes == nullptr) {
      return wrong(absl::StrCat("there is no '", name, "'; expected memory, home, cache or work"));
    }
    if (*bytes != 0) return wrong(absl::StrCat("'", name, "' for the second time"));
    if (bytes != &config.memory && config.memory == 0) {
      return wrong(absl::StrCat("'", name, "' before 'memory', of which it is a part"));
    }
    if (!(words >> value) || words >> more) {
      return wrong(absl::StrCat("expected '", name, "' and one value"));
    }
    const std::optional<std::uint64_t> parsed = Bytes(value, config.memory);
    if (!parsed.has_value() || *parsed == 0) {
      return wrong(
          absl::StrCat("'", value, "' is no size; expected bytes, as 16G",
                       bytes == &config.memory ? "" : ", or a part of the memory, as 30%"));
    }
    *bytes = *parsed;
    // Each is at most 2^62.
    if (config.home > config.memory || config.cache > config.memory - config.home ||
        config.work > config.memory - config.home - config.cache) {
      return wrong(absl::StrCat("home, cache and work take ",
                                config.home + config.cache + config.work,
                                " bytes, but 'memory' is ", config.memory));
    }
  }
  if (config.memory == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ":", number, ": expected 'memory' and a size"));
  }
  return config;
}

}  // namespace dsm
