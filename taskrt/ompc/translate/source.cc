#include "taskrt/ompc/translate/source.h"

#include <algorithm>
#include <cctype>

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

absl::Status Source::Expected(std::size_t at, const std::string& what) const {
  const auto end = text_.begin() + static_cast<long>(std::min(at, text_.size()));
  const auto line = 1 + std::count(text_.begin(), end, '\n');
  return absl::InvalidArgumentError(absl::StrCat(file_, ":", line, ": expected ", what));
}

std::size_t Source::AfterText(std::size_t at) const {
  const std::string_view rest = text_.substr(at);
  if (rest.starts_with("//")) return std::min(text_.find('\n', at), text_.size());
  if (rest.starts_with("/*")) {
    const std::size_t end = text_.find("*/", at + 2);
    return end == std::string_view::npos ? text_.size() : end + 2;
  }
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return at;
  std::size_t end = at + 1;
  while (end < text_.size() && text_[end] != rest[0]) end += text_[end] == '\\' ? 2 : 1;
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
  while (end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
  return std::min(end, text_.size());
}

std::size_t Source::AfterWord(std::size_t at) const {
  while (at < text_.size() && IsWordCharacter(text_[at])) ++at;
  return at;
}

absl::StatusOr<std::size_t> Source::After(char end, std::size_t at) const {
  while (at < text_.size()) {
    if (const std::size_t after = AfterText(at); after > at) {
      at = after;
    } else if (IsDirective(at)) {
      at = AfterDirective(at);
    } else if (text_[at] == end) {
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
  return Expected(at, absl::StrCat("a ", std::string(1, end)));
}

absl::StatusOr<std::size_t> Source::AfterBrackets(std::size_t at) const {
  const char c = text_[at];
  return After(c == '(' ? ')' : c == '[' ? ']' : '}', at + 1);
}

absl::StatusOr<std::size_t> Source::AfterStatement(std::size_t at) const {
  for (at = AfterSpace(at); IsDirective(at);) at = AfterSpace(AfterDirective(at));
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
  return WordAt(next) == "else" ? AfterStatement(AfterWord(next)) : body;
}

}  // namespace taskrt
