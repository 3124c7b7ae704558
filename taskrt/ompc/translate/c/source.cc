#include "taskrt/ompc/translate/c/source.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool Opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool Closes(char c) { return c == ')' || c == ']' || c == '}'; }

}  // namespace

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::size_t FindOutside(std::string_view text, char c) {
  const Source source(text, "");
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t after = source.AfterText(at); after > at) {
      at = after;
      continue;
    }
    if (depth == 0 && text[at] == c) return at;
    depth += Opens(text[at]) ? 1 : Closes(text[at]) ? -1 : 0;
    ++at;
  }
  return std::string_view::npos;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  if (Trimmed(text).empty()) return parts;
  while (true) {
    const std::size_t comma = FindOutside(text, ',');
    parts.push_back(Trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

Source::Line Source::LineOf(std::size_t at) const {
  at = std::min(at, text_.size());
  Line line{file_, 1};
  for (std::size_t begin = 0; begin < at;) {
    const std::size_t next = text_.find('\n', begin);
    if (next == std::string_view::npos || next >= at) break;
    ++line.number;
    // "# 12 "file" 3", as the preprocessor writes it, or "#line 12 "file"".
    std::string_view marker = text_.substr(begin, next - begin);
    begin = next + 1;
    if (!marker.starts_with('#')) continue;
    marker.remove_prefix(1);
    if (marker.starts_with("line")) marker.remove_prefix(4);
    const std::size_t digit = marker.find_first_not_of(' ');
    if (digit == 0 || digit == std::string_view::npos) continue;
    const std::size_t after = marker.find_first_not_of("0123456789", digit);
    if (after == digit) continue;
    if (!absl::SimpleAtoi(std::string(marker.substr(digit, after - digit)), &line.number)) continue;
    const std::size_t open = marker.find('"');
    if (open == std::string_view::npos) continue;
    line.file = std::string(marker.substr(open + 1, marker.rfind('"') - open - 1));
  }
  return line;
}

absl::Status Source::Expected(std::size_t at, const std::string& what) const {
  const Line line = LineOf(at);
  return absl::InvalidArgumentError(absl::StrCat(line.file, ":", line.number, ": expected ", what));
}

absl::Status Source::At(std::size_t at, const absl::Status& status) const {
  const bool has_line = status.message().find(": expected ") != absl::string_view::npos;
  if (!absl::IsInvalidArgument(status) || has_line) return status;
  return Expected(at, std::string(status.message()));
}

std::size_t Source::AfterText(std::size_t at) const {
  const std::string_view rest = text_.substr(at);
  if (rest.starts_with("//")) return AfterDirective(at);
  if (rest.starts_with("/*")) {
    const std::size_t end = text_.find("*/", at + 2);
    return end == std::string_view::npos ? text_.size() : end + 2;
  }
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return at;
  // One that its line does not end is an apostrophe of a text that no compiler reads.
  std::size_t end = at + 1;
  while (end < text_.size() && text_[end] != rest[0] && text_[end] != '\n') {
    const bool is_continued = text_.substr(end).starts_with("\\\r\n");
    end += is_continued ? 3 : text_[end] == '\\' ? 2 : 1;
  }
  if (end < text_.size() && text_[end] == '\n') return end;
  return std::min(end + 1, text_.size());
}

std::size_t Source::AfterSpace(std::size_t at) const {
  while (at < text_.size()) {
    const bool is_comment =
        text_.substr(at).starts_with("//") || text_.substr(at).starts_with("/*");
    if (is_comment) {
      at = AfterText(at);
    } else if (IsSpace(text_[at])) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

bool Source::IsDirective(std::size_t at) const {
  if (at >= text_.size() || text_[at] != '#') return false;
  const std::string_view before = text_.substr(0, at);
  return Trimmed(before.substr(before.find_last_of('\n') + 1)).empty();
}

std::size_t Source::AfterDirective(std::size_t at) const {
  std::size_t end = text_.find('\n', at);
  // A line may end with a carriage return, too.
  const auto is_continued = [&] {
    return text_[end - 1] == '\\' || (end > 1 && text_[end - 1] == '\r' && text_[end - 2] == '\\');
  };
  while (end != std::string_view::npos && is_continued()) end = text_.find('\n', end + 1);
  return std::min(end, text_.size());
}

std::size_t Source::AfterWord(std::size_t at) const {
  while (at < text_.size() && IsWordCharacter(text_[at])) ++at;
  return at;
}

Source::Conditional Source::ConditionalAt(std::size_t at) const {
  const std::string word = WordAt(AfterSpace(at + 1));
  if (word == "if" || word == "ifdef" || word == "ifndef") return Conditional::kBegin;
  if (word == "else" || word.starts_with("elif")) return Conditional::kElse;
  return word == "endif" ? Conditional::kEnd : Conditional::kNone;
}

absl::Status Source::IsCut(std::size_t at) const {
  return Expected(at,
                  "a program that is preprocessed (gcc -E -fopenmp), as #if, #else or #endif "
                  "cuts a statement");
}

absl::StatusOr<std::size_t> Source::After(char end, std::size_t at, std::size_t open) const {
  std::vector<std::size_t> conditionals;  // that have begun
  while (at < text_.size()) {
    if (const std::size_t after = AfterText(at); after > at) {
      at = after;
    } else if (IsDirective(at)) {
      const Conditional conditional = ConditionalAt(at);
      if (conditional == Conditional::kBegin) conditionals.push_back(at);
      if (conditional != Conditional::kNone && conditionals.empty()) return IsCut(at);
      if (conditional == Conditional::kEnd) conditionals.pop_back();
      at = AfterDirective(at);
    } else if (text_[at] == end) {
      if (!conditionals.empty()) return IsCut(conditionals.back());
      return at + 1;
    } else if (Opens(text_[at])) {
      const auto after = AfterBrackets(at);
      if (!after.ok()) return after;
      at = *after;
    } else if (Closes(text_[at])) {
      break;
    } else {
      ++at;
    }
  }
  if (open != std::string::npos) {
    return Expected(open, absl::StrCat("a ", std::string(1, end), " for the ",
                                       std::string(1, text_[open]), " of this line"));
  }
  return Expected(at, absl::StrCat("a ", std::string(1, end)));
}

absl::StatusOr<std::size_t> Source::AfterBrackets(std::size_t at) const {
  const char c = text_[at];
  return After(c == '(' ? ')' : c == '[' ? ']' : '}', at + 1, at);
}

absl::StatusOr<std::size_t> Source::AfterStatement(std::size_t at) const {
  for (at = AfterSpace(at); IsDirective(at); at = AfterSpace(AfterDirective(at))) {
    if (ConditionalAt(at) != Conditional::kNone) return IsCut(at);
  }
  if (at == text_.size()) return Expected(at, "a statement");
  if (text_[at] == '{') return AfterBrackets(at);
  const std::string word = WordAt(at);
  if (word == "do") {
    const auto body = AfterStatement(AfterWord(at));
    return body.ok() ? After(';', *body) : body;
  }
  if (word != "for" && word != "while" && word != "switch" && word != "if") return After(';', at);
  const std::size_t head = AfterSpace(AfterWord(at));
  if (head == text_.size() || text_[head] != '(') return Expected(head, "a (");
  const auto after_head = AfterBrackets(head);
  if (!after_head.ok()) return after_head;
  const auto body = AfterStatement(*after_head);
  if (!body.ok() || word != "if") return body;
  const std::size_t next = AfterSpace(*body);
  std::size_t behind = next;
  while (IsDirective(behind) && ConditionalAt(behind) != Conditional::kNone) {
    behind = AfterSpace(AfterDirective(behind));
  }
  if (behind != next && WordAt(behind) == "else") return IsCut(next);
  return WordAt(next) == "else" ? AfterStatement(AfterWord(next)) : body;
}

std::vector<Token> TokensOf(std::string_view text) {
  const Source source(text, "");
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char c = text[at];
    if (source.IsDirective(at)) {
      // A pragma's words are names, too.
      const std::size_t end = source.AfterDirective(at);
      at = source.WordAt(source.AfterSpace(at + 1)) == "pragma" ? at + 1 : end;
      continue;
    }
    if (const std::size_t after = source.AfterText(at); after > at) {
      at = after;
      if (c == '/') continue;
      tokens.push_back({Token::Kind::kLiteral, source.Text(begin, at), begin, at});
    } else if (IsSpace(c)) {
      ++at;
    } else if (IsWordCharacter(c)) {
      at = source.AfterWord(at);
      const bool is_number = c >= '0' && c <= '9';
      tokens.push_back({is_number ? Token::Kind::kLiteral : Token::Kind::kWord,
                        source.Text(begin, at), begin, at});
    } else {
      ++at;
      tokens.push_back({Token::Kind::kMark, std::string(1, c), begin, at});
    }
  }
  return tokens;
}

std::size_t AfterBrackets(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].kind != Token::Kind::kMark) continue;
    if (Opens(tokens[at].text[0])) ++depth;
    if (Closes(tokens[at].text[0]) && --depth == 0) return at + 1;
  }
  return tokens.size();
}

bool IsOtherName(const std::vector<Token>& tokens, std::size_t at) {
  if (at == 0) return false;
  const Token& before = tokens[at - 1];
  if (before.Is(".")) return true;
  if (before.Is(">") && at > 1 && tokens[at - 2].Is("-") && tokens[at - 2].end == before.begin) {
    return true;
  }
  return before.Is("struct") || before.Is("union") || before.Is("enum") || before.Is("goto");
}

std::string WithWords(const std::string& text,
                      const std::function<std::string(const std::string&)>& other) {
  const std::vector<Token> tokens = TokensOf(text);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::kWord || IsOtherName(tokens, i)) continue;
    const std::string shown = other(tokens[i].text);
    if (shown.empty()) continue;
    absl::StrAppend(&result, text.substr(copied, tokens[i].begin - copied), shown);
    copied = tokens[i].end;
  }
  return result + text.substr(copied);
}

std::vector<std::string> NamesIn(std::string_view text) {
  std::vector<std::string> names;
  const std::vector<Token> tokens = TokensOf(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == Token::Kind::kWord && !IsOtherName(tokens, i)) {
      names.push_back(tokens[i].text);
    }
  }
  return names;
}

}  // namespace taskrt
