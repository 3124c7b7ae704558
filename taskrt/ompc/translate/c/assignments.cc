#include "taskrt/ompc/translate/c/assignments.h"

#include <algorithm>
#include <iterator>

namespace taskrt {
namespace {

// if (...) and so on: is the bracket at `at` what such a word has?
bool IsHead(const Tokens& tokens, std::size_t at) {
  static constexpr std::string_view kWords[] = {"if", "for", "while", "switch"};
  return at > 0 && std::any_of(std::begin(kWords), std::end(kWords),
                               [&](std::string_view word) { return tokens[at - 1].Is(word); });
}

// Back to where the place on the left of an operator begins: behind a statement's begin, a head as
// an `if`'s condition, or another assignment.
std::size_t BeginOfPlace(const Tokens& tokens, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end; i > 0; --i) {
    const Token& token = tokens[i - 1];
    if (token.Is(")") || token.Is("]")) ++depth;
    if (token.Is("(") || token.Is("[")) --depth;
    if (depth < 0) return i;
    if (depth > 0) continue;
    if (token.Is("(") && IsHead(tokens, i - 1)) return AfterBrackets(tokens, i - 1);
    static constexpr std::string_view kBefore[] = {";", "{", "}", "=", ",", ":", "?", "else", "do"};
    if (std::any_of(std::begin(kBefore), std::end(kBefore),
                    [&](std::string_view before) { return token.Is(before); })) {
      return i;
    }
  }
  return 0;
}

std::size_t EndOfValue(const Tokens& tokens, std::size_t begin) {
  for (std::size_t i = begin; i < tokens.size();) {
    if (tokens[i].Is(";") || tokens[i].Is("}") || tokens[i].Is(")") || tokens[i].Is(",")) return i;
    i = tokens[i].Is("(") || tokens[i].Is("[") ? AfterBrackets(tokens, i) : i + 1;
  }
  return tokens.size();
}

}  // namespace

bool IsAssigning(const Tokens& tokens, std::size_t i) {
  if (!IsMark(tokens, i, "=") || (IsMark(tokens, i + 1, "=") && Touches(tokens, i))) return false;
  if (i == 0 || !Touches(tokens, i - 1)) return true;
  if (IsMark(tokens, i - 1, "=!")) return false;
  const bool is_order = IsMark(tokens, i - 1, "<>");
  return !is_order || (i > 1 && tokens[i - 2].text == tokens[i - 1].text && Touches(tokens, i - 2));
}

bool IsMark(const Tokens& tokens, std::size_t i, std::string_view marks) {
  return i < tokens.size() && tokens[i].kind == Token::Kind::kMark &&
         marks.find(tokens[i].text) != std::string_view::npos;
}

bool IsStep(const Tokens& tokens, std::size_t i) {
  return IsMark(tokens, i, "+-") && i + 1 < tokens.size() && tokens[i + 1].text == tokens[i].text &&
         Touches(tokens, i);
}

std::vector<Assignment> AssignmentsOf(const Tokens& tokens) {
  std::vector<Assignment> all;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // An assignment in brackets belongs to an expression.
    if (tokens[i].Is("(") || tokens[i].Is("[")) {
      const std::size_t after = AfterBrackets(tokens, i);
      i = after - 1;
      continue;
    }
    Assignment found;
    if (IsStep(tokens, i)) {
      found.op = tokens[i].text;
      const std::size_t begin = BeginOfPlace(tokens, i);
      const bool is_behind = begin < i;
      found.place = is_behind ? TokenRange{begin, i} : TokenRange{i + 2, EndOfValue(tokens, i + 2)};
      found.all = is_behind ? TokenRange{begin, i + 2} : TokenRange{i, found.place.end};
      ++i;
    } else if (IsAssigning(tokens, i)) {
      std::size_t end = i;
      while (end > 0 && IsMark(tokens, end - 1, "+-*/%&|^<>") && Touches(tokens, end - 1)) {
        found.op.insert(0, tokens[--end].text);
      }
      found.place = {BeginOfPlace(tokens, end), end};
      found.value = {i + 1, EndOfValue(tokens, i + 1)};
      found.all = {found.place.begin, found.value.end};
    } else {
      continue;
    }
    all.push_back(found);
  }
  return all;
}

std::set<std::string> AssignedIn(const std::string& statement) {
  const Tokens tokens = TokensOf(statement);
  std::set<std::string> names;
  for (const Assignment& assignment : AssignmentsOf(tokens)) {
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(assignment.place.begin);
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(assignment.place.end);
    const auto base = std::find_if(
        begin, end, [](const Token& token) { return token.kind == Token::Kind::kWord; });
    if (base != end) names.insert(base->text);
  }
  return names;
}

std::set<std::string> PassedIn(const std::string& statement) {
  const Tokens tokens = TokensOf(statement);
  std::set<std::string> names;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const bool is_call = tokens[i].Is("(") && tokens[i - 1].kind == Token::Kind::kWord &&
                         !IsHead(tokens, i) && !tokens[i - 1].Is("sizeof");
    if (!is_call) continue;
    const std::size_t end = AfterBrackets(tokens, i);
    for (std::size_t at = i + 1; at + 1 < end; ++at) {
      if (tokens[at].kind == Token::Kind::kWord && !tokens[at + 1].Is("[")) {
        names.insert(tokens[at].text);
      }
    }
  }
  return names;
}

}  // namespace taskrt
