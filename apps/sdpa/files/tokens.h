// The numbers of a text, one after the other, and the lines that they stand in. Pure.
#pragma once

#include <algorithm>
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
#include "apps/graph/finite_number.h"

namespace sdpa {

// The whole token as a finite number, after a plus where there is one. A number too small for a
// double is 0.
template <typename Value>
std::optional<Value> NumberOf(std::string_view token) {
  if constexpr (std::is_floating_point_v<Value>) {
    return graph::FiniteNumber(token);
  } else {
    if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
    Value value = {};
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
    return value;
  }
}

// How an error shows a token: "" is the end of the text.
inline std::string Shown(std::string_view token) {
  constexpr std::size_t kShown = 40;
  if (token.empty()) return "the end";
  return absl::StrCat("'", std::string(token.substr(0, kShown)),
                      token.size() > kShown ? "...'" : "'");
}

// What stands between numbers. In a header words without digits are passed over, and a number ends
// where its digits do, as in "3=mDIM".
enum class Words { kPassed, kRefused };

// A value: what is left of a text.
class Tokens {
 public:
  // A UTF-8 byte order mark, which some editors write, is no part of the text.
  Tokens(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  // Titles: lines before the first that begins with a number.
  void SkipTitles() {
    while (!text_.empty()) {
      const std::size_t first = text_.find_first_not_of(kSpacesOfALine);
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

  void SkipLine() {
    const std::size_t end = text_.find('\n');
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    line_ += end == std::string_view::npos ? 0 : 1;
  }

  // Passes over the rest of the line, whatever it says, unless it begins with a number.
  void SkipRemark() {
    const std::size_t first = text_.find_first_not_of(kSpacesOfALine);
    if (first == std::string_view::npos || !BeginsWithNumber(text_.substr(first))) SkipLine();
  }

  // Expects a whole number in these bounds; `what` is its name in an error.
  absl::StatusOr<int> Whole(std::string_view what, int least, int most, Words words) {
    const std::string_view token = Next(words);
    std::optional<int> value = NumberOf<int>(token);
    if (!value) value = WholeOfFraction(token);
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
  static constexpr std::string_view kSpacesOfALine = " \t\r,(){}";

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsOfNumber(char c) { return IsDigit(c) || c == '+' || c == '-' || c == '.'; }
  // A dash alone is of a remark.
  static bool BeginsWithNumber(std::string_view text) {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (text.starts_with('.')) text.remove_prefix(1);
    return !text.empty() && IsDigit(text.front());
  }
  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool IsSpace(char c) {
    return c == '\n' || kSpacesOfALine.find(c) != std::string_view::npos;
  }
  // "3.0", as some programs write a count.
  static std::optional<int> WholeOfFraction(std::string_view token) {
    constexpr double kMost = 1e9;
    const std::optional<double> value = NumberOf<double>(token);
    if (!value || *value != std::floor(*value) || std::abs(*value) > kMost) return std::nullopt;
    return static_cast<int>(*value);
  }
  static bool HasDigits(std::string_view token) {
    return std::any_of(token.begin(), token.end(), IsDigit);
  }
  // And lines that begin with a star or a quotation mark: remarks, wherever they stand.
  void SkipSpaces() {
    while (!text_.empty()) {
      if (line_ != line_of_tokens_ && (text_.front() == '*' || text_.front() == '"')) {
        SkipLine();
      } else if (IsSpace(text_.front())) {
        line_ += text_.front() == '\n' ? 1 : 0;
        text_.remove_prefix(1);
      } else {
        return;
      }
    }
  }
  // "" at the end.
  std::string_view Next(Words words) {
    while (true) {
      SkipSpaces();
      token_line_ = line_;
      std::size_t length = 0;
      const bool is_number = !text_.empty() && IsOfNumber(text_.front());
      const auto is_within = [&](char c) {
        return words == Words::kPassed && is_number ? IsOfNumber(c) || IsLetter(c) : !IsSpace(c);
      };
      while (length < text_.size() && is_within(text_[length])) ++length;
      const std::string_view token = text_.substr(0, length);
      text_.remove_prefix(length);
      line_of_tokens_ = line_;
      // Whether the digits of a word are a number is a guess that readers make differently.
      if (words == Words::kRefused || is_number || token.empty() || HasDigits(token)) return token;
    }
  }
  absl::Status Expected(std::string_view found, const std::string& what) const {
    return Error(absl::StrCat("found ", Shown(found), ", expected ", what));
  }

  std::string file_;
  std::string_view text_;
  int line_ = 1, token_line_ = 1;
  int line_of_tokens_ = 0;  // the last line that had one
};

}  // namespace sdpa
