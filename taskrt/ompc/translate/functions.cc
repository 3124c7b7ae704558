#include "taskrt/ompc/translate/functions.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"

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
  Declaration declaration{std::string(begin, before.end()), {}};
  const std::string_view inside = text.substr(open + 1, *close - open - 2);
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
    if (text[at] == ';' || text[at] == '{') {
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
    if (text[at] != ';') declaration += text[at];
    ++at;
  }
  return functions;
}

}  // namespace taskrt
