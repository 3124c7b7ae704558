#include "topo/synthetic_size.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"

namespace topo {
namespace {

// The next word and what follows it: words end at spaces outside of parentheses.
std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  std::size_t end = 0;
  for (bool is_inside = false; end < text.size(); ++end) {
    if (text[end] == '(') is_inside = true;
    if (text[end] == ')') is_inside = false;
    if (!is_inside && (text[end] == ' ' || text[end] == '\n')) break;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// As hwloc reads it: "core:4(size=1)", or "4" of a type that hwloc chooses.
std::uint64_t CountOf(std::string_view word) {
  word = word.substr(0, word.find('('));
  if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
    word.remove_prefix(colon + 1);
  }
  return std::strtoull(std::string(word).c_str(), nullptr, 0);
}

// The largest number in the word's `indexes=`, which may also name types; 0: none.
std::uint64_t HighestIndexOf(std::string_view word) {
  constexpr std::string_view kKey = "indexes=";
  std::uint64_t highest = 0;
  const std::size_t at = word.find(kKey);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = word.substr(at + kKey.size());
  for (rest = rest.substr(0, rest.find_first_of(" )")); !rest.empty();) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0) {
      const std::string number(rest.substr(0, digits));
      highest = std::max<std::uint64_t>(highest, std::strtoull(number.c_str(), nullptr, 10));
    }
    rest.remove_prefix(std::max<std::size_t>(digits, 1));
  }
  return highest;
}

absl::Status TooLarge(std::string_view description, std::string_view word) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(description), "' describes a machine that is too large, at '",
                   std::string(word), "': at most ", kMostSynthetic,
                   " objects of a kind, and numbers below ", kMostSyntheticIndex));
}

}  // namespace

absl::Status CheckSyntheticSize(std::string_view description) {
  std::uint64_t objects = 1, siblings = 0;
  for (std::string_view rest = description; !rest.empty();) {
    const std::string_view word = TakeWord(rest);
    if (HighestIndexOf(word) >= kMostSyntheticIndex) return TooLarge(description, word);
    // A node beside the objects of the word before.
    if (word.empty() || word.front() == '[') continue;
    const std::uint64_t count = CountOf(word);
    if (count == 0) continue;
    if (count > kMostSynthetic) return TooLarge(description, word);
    objects *= count;
    siblings += count;
    if (objects > kMostSynthetic || objects * siblings > kMostSyntheticSteps) {
      return TooLarge(description, word);
    }
  }
  return absl::OkStatus();
}

}  // namespace topo
