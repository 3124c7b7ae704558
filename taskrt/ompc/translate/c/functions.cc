#include "taskrt/ompc/translate/c/functions.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/c/scope.h"

namespace taskrt {
namespace {

bool IsOneOf(const std::string& word, const std::set<std::string>& words) {
  return words.contains(word);
}

// "unsigned int SIZE", "const size_t", "struct point p"
Parameter ParseParameter(std::string_view text) {
  if (text.find_first_of("*[") != std::string_view::npos) return {.is_pointer = true, .type = ""};
  static const auto& qualifiers =
      *new std::set<std::string>{"const", "volatile", "register", "restrict"};
  static const auto& types = *new std::set<std::string>{
      "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool"};
  static const auto& tags = *new std::set<std::string>{"struct", "union", "enum"};
  std::vector<std::string> words;
  const Source source(text, "");
  for (std::size_t at = source.AfterSpace(0); at < text.size();
       at = source.AfterSpace(source.AfterWord(at))) {
    const std::string word = source.WordAt(at);
    if (word.empty()) break;
    if (!IsOneOf(word, qualifiers)) words.push_back(word);
  }
  // The last is a name, unless the type would lack it.
  const std::size_t least = !words.empty() && IsOneOf(words[0], tags) ? 2 : 1;
  if (words.size() > least && !IsOneOf(words.back(), types)) words.pop_back();
  return {.is_pointer = false, .type = absl::StrJoin(words, " ")};
}

}  // namespace

Declaration ParseDeclaration(std::string_view text) {
  const std::size_t open = FindOutside(text, '(');
  if (open == std::string_view::npos || FindOutside(text, '=') < open) return {};
  const auto close = Source(text, "").AfterBrackets(open);
  if (!close.ok()) return {};
  const std::string before = Trimmed(text.substr(0, open));
  const auto begin = std::find_if_not(before.rbegin(), before.rend(), IsWordCharacter).base();
  const std::string inside = Trimmed(text.substr(open + 1, *close - open - 2));
  // "int (*f(int a))(int)", whose result is a pointer to a function; or "int (*f)(int)", a
  // variable.
  if (inside.starts_with('*') && Trimmed(text.substr(*close)).starts_with('(')) {
    return ParseDeclaration(inside);
  }
  Declaration declaration{std::string(begin, before.end()), inside, {}};
  const std::vector<std::string> parameters = SplitAtCommas(inside);
  if (parameters.size() == 1 && parameters[0] == "void") return declaration;
  for (const std::string& parameter : parameters) {
    if (parameter == "..." || parameter.find('(') != std::string::npos) {
      declaration.function.is_callable = false;
    }
    declaration.function.parameters.push_back(ParseParameter(parameter));
  }
  return declaration;
}

std::optional<std::string> PrototypeOf(std::string_view text) {
  const std::size_t open = FindOutside(text, '(');
  if (open == std::string_view::npos) return std::nullopt;
  const auto close = Source(text, "").AfterBrackets(open);
  if (!close.ok()) return std::nullopt;
  const std::vector<std::string> names = SplitAtCommas(text.substr(open + 1, *close - open - 2));
  std::map<std::string, std::string> declared;
  for (std::string_view rest = text.substr(*close); !Trimmed(rest).empty();) {
    const std::size_t end = FindOutside(rest, ';');
    const auto its = ParseDeclared(rest.substr(0, end));
    if (!its || its->variables.empty()) return std::nullopt;
    for (const Variable& each : its->variables) {
      if (std::find(names.begin(), names.end(), each.name) == names.end()) return std::nullopt;
      declared[each.name] = each.Declare(each.name);
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (declared.empty()) return std::nullopt;
  std::vector<std::string> parameters;
  for (const std::string& name : names) {
    const auto its = declared.find(name);
    parameters.push_back(its == declared.end() ? "int " + name : its->second);
  }
  return std::string(text.substr(0, open + 1)) + absl::StrJoin(parameters, ", ") + ")";
}

absl::StatusOr<std::map<std::string, Function>> FunctionsOf(const Source& source) {
  std::map<std::string, Function> functions;
  const std::string_view text = source.text();
  std::string declaration;  // so far
  for (std::size_t at = 0; at < text.size();) {
    if (source.IsDirective(at)) {
      at = source.AfterDirective(at);
      continue;
    }
    if (const std::size_t after = source.AfterText(at); after > at) {
      declaration += ' ';
      at = after;
      continue;
    }
    const std::optional<std::string> prototype =
        text[at] == ';' || text[at] == '{' ? PrototypeOf(declaration) : std::nullopt;
    if (prototype && text[at] == '{') declaration = *prototype;
    if ((text[at] == ';' && !prototype) || text[at] == '{') {
      const Declaration found = ParseDeclaration(declaration);
      if (!found.name.empty()) functions[found.name] = found.function;
      declaration.clear();
    }
    if (text[at] == '{') {
      const auto after = source.AfterBrackets(at);
      if (!after.ok()) return after.status();
      at = *after;
      continue;
    }
    if (text[at] != ';' || prototype) declaration += text[at];
    ++at;
  }
  return functions;
}

}  // namespace taskrt
