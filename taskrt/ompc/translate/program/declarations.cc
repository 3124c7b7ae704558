// The declarations inside of functions: variables, prototypes, structures, and gcc's functions.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/program/parser.h"

namespace taskrt {

// The declaration from here up to `to`. Where it declares functions alone, it is text: the names in
// it are those of parameters.
void Parser::Declare(std::size_t to) {
  const auto declared = ParseDeclared(source_.text().substr(at_, to - at_));
  if (!declared) return;
  Scope scope{0, declared->variables, declared->types};
  for (const Variable& function : declared->functions) {
    // A macro of the file may be anything.
    if (macros_.contains(function.specifiers)) continue;
    scope.types.push_back({function.name, absl::StrCat(function.Declare(function.name), ";")});
  }
  AddDeclared(std::move(scope));
  if (declared->variables.empty() && !declared->functions.empty()) return AddText(to);
  // The parameters of a pointer to a function hide variables as far as to its value.
  for (const Variable& variable : declared->variables) {
    if (!variable.after.starts_with(')')) continue;
    const std::size_t open = variable.after.find('(');
    if (open == std::string::npos) continue;
    const std::size_t equals = FindOutside(source_.text().substr(at_, to - at_), '=');
    OpenScope({equals == std::string::npos ? to : at_ + equals,
               ParseParameters(ParseDeclaration(variable.after.substr(open)).parameters),
               {}});
  }
}

// The function inside of a function whose body is there: its name, and the variables that it hides.
absl::Status Parser::ParseNested(std::size_t body) {
  const auto end = source_.AfterBrackets(body);
  if (!end.ok()) return end.status();
  for (std::size_t at = body; at < *end; ++at) {
    const std::size_t after = source_.AfterText(at);
    if (after > at) at = after - 1;
    if (!source_.IsDirective(at)) continue;
    const std::vector<Token> words = TokensOf(source_.Text(at, source_.AfterDirective(at)));
    if (words.size() > 1 && words[0].Is("pragma") && words[1].Is("omp")) {
      return source_.Expected(at, "no directive in a function inside of a function");
    }
  }
  const Declaration declaration = ParseDeclaration(source_.Text(at_, body));
  Variable function;
  function.name = declaration.name;
  function.is_nested_function = true;
  AddDeclared({0, {function}, {}});
  OpenScope({*end, ParseParameters(declaration.parameters), {}});
  return absl::OkStatus();
}

// The members of a structure have names of their own; their arrays' lengths are expressions.
void Parser::ParseMembers(std::size_t end) {
  int depth = 0;          // of brackets in which words are no members
  bool is_value = false;  // behind : and =
  std::string before;
  while (at_ < end) {
    const std::size_t after = std::max(source_.AfterText(at_), source_.AfterWord(at_));
    const char c = source_.text()[at_];
    const std::string word = IsWordCharacter(c) ? source_.WordAt(at_) : std::string(1, c);
    if (IsWordCharacter(c) && (depth > 0 || is_value)) {
      AddWord(before);
    } else {
      AddText(std::max(after, at_ + 1));
    }
    const bool is_of_type = before == "typeof" || before == "__typeof__" || before == "__typeof" ||
                            before == "_Alignas";
    if (c == '[' || (c == '(' && (depth > 0 || is_of_type))) ++depth;
    if (depth > 0 && (c == ']' || c == ')')) --depth;
    if (depth == 0 && (c == ':' || c == '=')) is_value = true;
    if (depth == 0 && (c == ',' || c == ';' || c == '{' || c == '}')) is_value = false;
    if (!Trimmed(word).empty()) before = word;
  }
}

// "struct {", "enum tag {": behind the bracket that closes it; at_: it is no such thing.
std::size_t Parser::AfterMembers() const {
  std::size_t at = source_.AfterSpace(source_.AfterWord(at_));
  for (std::string word = source_.WordAt(at); !word.empty(); word = source_.WordAt(at)) {
    at = source_.AfterSpace(source_.AfterWord(at));
    if (word != "__attribute__") continue;
    const auto after = source_.AfterBrackets(at);
    if (!after.ok()) return at_;
    at = source_.AfterSpace(*after);
  }
  if (at >= source_.text().size() || source_.text()[at] != '{') return at_;
  const auto end = source_.AfterBrackets(at);
  return end.ok() ? *end : at_;
}

}  // namespace taskrt
