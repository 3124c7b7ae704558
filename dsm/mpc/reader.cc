#include "dsm/mpc/reader.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"

namespace dsm::mpc {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

int Reader::LinesSince(std::size_t start) const {
  return static_cast<int>(std::count(source_.begin() + static_cast<long>(start),
                                     source_.begin() + static_cast<long>(at_), '\n'));
}

absl::Status Reader::Expected(std::size_t at, const std::string& what) const {
  const auto line = 1 + std::count(source_.begin(), source_.begin() + static_cast<long>(at), '\n');
  return absl::InvalidArgumentError(absl::StrCat(file_, ":", line, ": expected ", what));
}

bool Reader::SkipText() {
  const std::string_view rest = source_.substr(at_);
  const auto to = [&](std::size_t end) {
    at_ = end == std::string_view::npos ? source_.size() : end;
    return true;
  };
  is_whole_ = true;
  if (rest.starts_with("//")) return to(source_.find('\n', at_));
  if (rest.starts_with("/*")) {
    const std::size_t end = source_.find("*/", at_ + 2);
    is_whole_ = end != std::string_view::npos;
    return to(end == std::string_view::npos ? end : end + 2);
  }
  if (rest.starts_with('"') || rest.starts_with('\'')) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != rest[0] && source_[end] != '\n') {
      const bool goes_on = source_.substr(end).starts_with("\\\r\n");
      end += goes_on ? 3 : source_[end] == '\\' ? 2 : 1;
    }
    is_whole_ = end < source_.size() && source_[end] == rest[0];
    return to(end + 1 > source_.size() ? std::string_view::npos : end + 1);
  }
  const std::size_t line = source_.substr(0, at_).find_last_of('\n') + 1;
  const bool is_first =
      source_.substr(line, at_ - line).find_first_not_of(" \t") == std::string_view::npos;
  if (!rest.starts_with('#') || !is_first) return false;
  std::size_t end = source_.find('\n', at_);
  while (end != std::string_view::npos && source_[end - 1] == '\\') {
    end = source_.find('\n', end + 1);
  }
  return to(end);
}

void Reader::SkipSpace() {
  while (!at_end()) {
    const bool is_comment =
        source_.substr(at_).starts_with("//") || source_.substr(at_).starts_with("/*");
    if (is_comment && SkipText()) continue;
    if (std::isspace(static_cast<unsigned char>(next())) == 0) return;
    ++at_;
  }
}

std::string Reader::Word() {
  const std::size_t start = at_;
  while (!at_end() && IsWord(next())) ++at_;
  return std::string(source_.substr(start, at_ - start));
}

bool Reader::Take(std::string_view what) {
  SkipSpace();
  if (!source_.substr(at_).starts_with(what)) return false;
  at_ += what.size();
  return true;
}

std::string Reader::Until(std::string_view ends) {
  std::string text;
  for (int depth = 0; !at_end(); ++at_) {
    const char c = next();
    if (depth == 0 && ends.find(c) != std::string_view::npos) break;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ';') break;
    text += c == '\n' ? ' ' : c;
  }
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string> Reader::Bracketed() {
  std::vector<std::string> all;
  while (Take("[")) {
    all.push_back(Until("]"));
    if (!Take("]")) break;
  }
  return all;
}

}  // namespace dsm::mpc
