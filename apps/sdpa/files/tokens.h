// The numbers of a text, one after the other, and the lines that they stand in. Pure.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace sdpa {

// The whole token as a finite number, after a plus where there is one.
template <typename Value>
std::optional<Value> NumberOf(std::string_view token) {
  if (token.starts_with('+')) token.remove_prefix(1);
  Value value = {};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Value>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

// How an error shows a token: "" is the end of the text.
inline std::string Shown(std::string_view token) {
  constexpr std::size_t kShown = 40;
  if (token.empty()) return "the end";
  return absl::StrCat("'", std::string(token.substr(0, kShown)),
                      token.size() > kShown ? "...'" : "'");
}

enum class Words { kPassed, kRefused };

// A value: what is left of a text.
class Tokens {
 public:
  Tokens(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  // Titles and remarks: lines before the first that begins with a number.
  void SkipTitles() {
    while (!text_.empty()) {
      const std::size_t first = text_.find_first_not_of(" \t\r,(){}");
      if (first != std::string_view::npos && IsOfNumber(text_[first])) return;
      SkipLine();
    }
  }

  // Passes over the lines before the first that begins with this word; false where none does.
  bool SkipToLine(std::string_view word) {
    while (!text_.starts_with(word)) {
      if (text_.empty()) return false;
      SkipLine();
    }
    return true;
  }

  bool AtEnd() {
    SkipSpaces();
    return text_.empty();
  }

  // Expects a whole number in these bounds; `what` is its name in an error.
  absl::StatusOr<int> Whole(std::string_view what, int least, int most, Words words) {
    const std::string_view token = Next(words);
    const std::optional<int> value = NumberOf<int>(token);
    if (value && least <= *value && *value <= most) return *value;
    return Expected(token,
                    absl::StrCat(std::string(what), ", a whole number from ", least, " to ", most));
  }
  absl::StatusOr<double> Number(std::string_view what, Words words) {
    const std::string_view token = Next(words);
    if (const std::optional<double> value = NumberOf<double>(token)) return *value;
    return Expected(token, absl::StrCat(std::string(what), ", a finite number"));
  }
  absl::Status Word(std::string_view word) {
    const std::string_view token = Next(Words::kRefused);
    if (token == word) return absl::OkStatus();
    return Expected(token, absl::StrCat("the word ", std::string(word)));
  }

  // Of the line in which the last number stood.
  absl::Status Error(std::string_view sentence) const { return ErrorAt(token_line_, sentence); }
  absl::Status ErrorAt(int line, std::string_view sentence) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", line, ": ", std::string(sentence)));
  }
  int line() const { return token_line_; }
  int next_line() const { return line_; }  // after AtEnd: of the number that comes next

 private:
  static bool IsOfNumber(char c) {
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  }
  static bool IsSpace(char c) {
    return std::string_view(" \t\r\n,(){}").find(c) != std::string_view::npos;
  }

  void SkipLine() {
    const std::size_t end = text_.find('\n');
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    line_ += end == std::string_view::npos ? 0 : 1;
  }
  void SkipSpaces() {
    while (!text_.empty() && IsSpace(text_.front())) {
      line_ += text_.front() == '\n' ? 1 : 0;
      text_.remove_prefix(1);
    }
  }
  // "" at the end.
  std::string_view Next(Words words) {
    while (true) {
      SkipSpaces();
      token_line_ = line_;
      std::size_t length = 0;
      while (length < text_.size() && !IsSpace(text_[length])) ++length;
      const std::string_view token = text_.substr(0, length);
      text_.remove_prefix(length);
      if (words == Words::kRefused || token.empty() || IsOfNumber(token.front())) return token;
    }
  }
  absl::Status Expected(std::string_view found, const std::string& what) const {
    return Error(absl::StrCat("found ", Shown(found), ", expected ", what));
  }

  std::string file_;
  std::string_view text_;
  int line_ = 1, token_line_ = 1;
};

}  // namespace sdpa
