// The assignments of a statement, as its text has them.
//
// Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {

using Tokens = std::vector<Token>;

// A value: of tokens.
struct TokenRange {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

// A value: PLACE = VALUE, PLACE OPERATOR= VALUE, PLACE++ and so on.
struct Assignment {
  TokenRange place, value;  // of ++ and --: no value
  TokenRange all;
  std::string op;  // "": none
  bool is_step() const { return value.empty(); }
};

// In the order of the text; those in brackets, as of a loop's head, are left out.
std::vector<Assignment> AssignmentsOf(const Tokens& tokens);

// Is nothing between the token and the next one?
inline bool Touches(const Tokens& tokens, std::size_t i) {
  return tokens[i].end == tokens[i + 1].begin;
}
// Is it the = of an assignment, and no comparison's?
bool IsAssigning(const Tokens& tokens, std::size_t i);
// ++ or --
bool IsStep(const Tokens& tokens, std::size_t i);
// A mark that is one of these characters.
bool IsMark(const Tokens& tokens, std::size_t i, std::string_view marks);

// The variables that a statement assigns to, or to parts of which, or of their blocks.
std::set<std::string> AssignedIn(const std::string& statement);
// Words that are arguments of calls, as they are or with & before: a call may change their blocks.
std::set<std::string> PassedIn(const std::string& statement);

}  // namespace taskrt
