#include "dsm/mpc/shared_scalars.h"

#include <algorithm>
#include <array>

#include "dsm/mpc/reader.h"

namespace dsm::mpc {
namespace {

// Words of C that no type ends with.
bool IsOfStatements(const std::string& word) {
  constexpr std::array kWords = {"return", "sizeof", "case", "else",  "do",
                                 "if",     "while",  "for",  "switch"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool IsOfTypes(const std::string& word) {
  constexpr std::array kWords = {"char",     "short",  "int",      "long",     "float",
                                 "double",   "signed", "unsigned", "void",     "const",
                                 "volatile", "struct", "union",    "enum",     "static",
                                 "register", "auto",   "extern",   "restrict", "_Bool"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool IsName(const std::string& token) { return IsWord(token[0]) && !IsOfStatements(token); }

// `struct {`, `struct tag {`
bool Ends(const std::vector<std::string>& statement, std::string_view kind) {
  for (std::size_t from_end = 1; from_end <= std::min<std::size_t>(2, statement.size());
       ++from_end) {
    const std::string& token = statement[statement.size() - from_end];
    if (token == kind) return true;
    if (!IsName(token)) return false;
  }
  return false;
}

}  // namespace

SharedScalars::Brace SharedScalars::BraceAfter(const std::vector<std::string>& statement) {
  if (Ends(statement, "struct") || Ends(statement, "union")) return Brace::kMembers;
  return Ends(statement, "enum") ? Brace::kEnumerators : Brace::kBlock;
}

// The statement's tokens so far, and then a name.
bool SharedScalars::MayDeclare() const {
  // Outside of functions each is: of a parameter, a type, a function.
  if (braces_.empty()) return true;
  if (braces_.back() == Brace::kEnumerators) return statement_.empty() || statement_.back() == ",";
  const auto first = statement_.begin();
  auto before = statement_.end();
  while (before != first && *(before - 1) == "*") --before;
  const bool has_stars = before != statement_.end();
  if (before == first) return false;  // `*n = ...`
  const std::string& word = *(before - 1);
  if (!has_stars && IsName(word)) return true;  // `type n`
  // `int *n` anywhere, and `type *n` where a statement begins.
  if (has_stars && IsOfTypes(word)) return true;
  if (has_stars && IsName(word) && before - 1 == first) return true;
  // `int m = 1, n`
  const bool is_typed =
      IsOfTypes(*first) || (statement_.size() > 1 && IsName(*first) && IsName(statement_[1]));
  return parentheses_ == 0 && word == "," && is_typed;
}

SharedScalars::Word SharedScalars::Read(const std::string& word) {
  const std::string before = statement_.empty() ? "" : statement_.back();
  const bool is_named = names_.contains(word) && !IsInMembers() && before != "." &&
                        before != "->" && before != "goto";
  const Word read = !is_named ? Word::kOther : MayDeclare() ? Word::kDeclares : Word::kUse;
  statement_.push_back(word);
  return read;
}

void SharedScalars::Read(char c) {
  if (c == '{') braces_.push_back(BraceAfter(statement_));
  if (c == '}' && !braces_.empty()) braces_.pop_back();
  if (c == ';' || c == '{' || c == '}') {
    statement_.clear();
    if (c != ';') parentheses_ = 0;
    return;
  }
  if (c == '(') ++parentheses_;
  if (c == ')') --parentheses_;
  const bool is_arrow = c == '>' && !statement_.empty() && statement_.back() == "-";
  if (is_arrow) statement_.back() = "->";
  if (!is_arrow) statement_.emplace_back(1, c);
}

}  // namespace dsm::mpc
