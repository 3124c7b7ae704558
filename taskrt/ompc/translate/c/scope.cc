#include "taskrt/ompc/translate/c/scope.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

using Tokens = std::vector<Token>;
using Words = std::set<std::string>;

const Words& Storage() {
  static const auto& words =
      *new Words{"static", "extern",   "register",   "auto",      "_Thread_local", "__thread",
                 "inline", "__inline", "__inline__", "_Noreturn", "__extension__"};
  return words;
}
const Words& Qualifiers() {
  static const auto& words = *new Words{"const",   "volatile", "restrict",     "__restrict",
                                        "__const", "_Atomic",  "__restrict__", "__volatile__"};
  return words;
}
const Words& Types() {
  static const auto& words = *new Words{
      "void",   "char",  "short",    "int",      "long",      "signed",     "unsigned",   "float",
      "double", "_Bool", "_Complex", "__int128", "_Float128", "__signed__", "__complex__"};
  return words;
}
const Words& Statements() {
  static const auto& words =
      *new Words{"return", "goto", "else",  "case",    "sizeof", "if",      "while",   "do",
                 "switch", "for",  "break", "default", "asm",    "__asm__", "continue"};
  return words;
}

std::string Spelled(const Tokens& tokens, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    if (i > from && tokens[i - 1].end != tokens[i].begin) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

bool IsWord(const Tokens& tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].kind == Token::Kind::kWord;
}
bool Is(const Tokens& tokens, std::size_t at, std::string_view what) {
  return at < tokens.size() && tokens[at].Is(what);
}

// Behind "* const *" and its like.
std::size_t AfterStars(const Tokens& tokens, std::size_t at) {
  while (Is(tokens, at, "*") || (IsWord(tokens, at) && Qualifiers().contains(tokens[at].text)))
    ++at;
  return at;
}

// Is the word at `at`, which no other type is before, a type's name, as what follows shows?
bool IsTypeName(const Tokens& tokens, std::size_t at) {
  if (Statements().contains(tokens[at].text)) return false;
  const std::size_t next = at + 1;
  if (IsWord(tokens, next)) return !Statements().contains(tokens[next].text);
  if (Is(tokens, next, "*")) {
    const std::size_t name = AfterStars(tokens, next);
    if (Is(tokens, name, "(")) return false;
    if (!IsWord(tokens, name)) return name == tokens.size();  // Of a parameter without a name.
    // "T *f(int)": nobody multiplies for nothing.
    if (Is(tokens, name + 1, "(") && AfterBrackets(tokens, name + 1) == tokens.size()) return true;
    return name + 1 == tokens.size() || Is(tokens, name + 1, "=") || Is(tokens, name + 1, ",") ||
           Is(tokens, name + 1, "[");
  }
  if (Is(tokens, next, "(") && Is(tokens, next + 1, "*")) {
    const std::size_t after = AfterBrackets(tokens, next);
    return Is(tokens, after, "[") || Is(tokens, after, "(");
  }
  return false;
}

struct Specifiers {
  std::size_t end = 0;
  std::string text;
  bool is_static = false, is_typedef = false;
  std::vector<TypeDeclaration> types;
};

std::optional<Specifiers> ParseSpecifiers(const Tokens& tokens) {
  Specifiers all;
  bool has_type = false;
  const auto add = [&](const std::string& text) {
    absl::StrAppend(&all.text, all.text.empty() ? "" : " ", text);
  };
  std::size_t at = 0;
  while (IsWord(tokens, at)) {
    const std::string& word = tokens[at].text;
    if (Storage().contains(word)) {
      all.is_static = all.is_static || word == "static" || word == "extern";
      ++at;
    } else if (word == "typedef") {
      all.is_typedef = true;
      ++at;
    } else if (Qualifiers().contains(word) || Types().contains(word)) {
      has_type = has_type || Types().contains(word);
      add(word);
      ++at;
    } else if (word == "struct" || word == "union" || word == "enum") {
      const std::size_t tag = at + 1;
      const std::size_t open = IsWord(tokens, tag) ? tag + 1 : tag;
      if (!Is(tokens, open, "{")) {
        add(Spelled(tokens, at, open));
        at = open;
      } else {
        const std::size_t end = AfterBrackets(tokens, open);
        const std::string whole = Spelled(tokens, at, end);
        if (open > tag) {
          all.types.push_back({tokens[tag].text, whole + ";"});
        } else if (word == "enum") {
          all.types.push_back({"", whole + ";"});
        }
        add(open > tag ? Spelled(tokens, at, open) : word == "enum" ? "int" : whole);
        at = end;
      }
      has_type = true;
    } else if ((word.find("typeof") != std::string::npos || word == "_Alignas" ||
                word == "__attribute__") &&
               Is(tokens, at + 1, "(")) {
      const std::size_t end = AfterBrackets(tokens, at + 1);
      has_type = has_type || word.find("typeof") != std::string::npos;
      if (word != "__attribute__") add(Spelled(tokens, at, end));
      at = end;
    } else if (!has_type && IsTypeName(tokens, at)) {
      add(word);
      has_type = true;
      ++at;
    } else {
      break;
    }
  }
  if (!has_type) return std::nullopt;
  all.end = at;
  return all;
}

// The declarator's name; none: it has none.
std::optional<std::size_t> NameOf(const Tokens& tokens, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (tokens[i].kind == Token::Kind::kWord && !Qualifiers().contains(tokens[i].text)) return i;
    if (!tokens[i].Is("*") && !tokens[i].Is("(") && tokens[i].kind == Token::Kind::kMark) break;
  }
  return std::nullopt;
}

// Behind the declarator that begins here, at `=`, `,` or the end.
std::size_t AfterDeclarator(const Tokens& tokens, std::size_t at) {
  while (at < tokens.size() && !tokens[at].Is(",") && !tokens[at].Is("=")) {
    at = tokens[at].Is("(") || tokens[at].Is("[") || tokens[at].Is("{") ? AfterBrackets(tokens, at)
                                                                        : at + 1;
  }
  return at;
}
std::size_t AfterInitializer(const Tokens& tokens, std::size_t at) {
  while (at < tokens.size() && !tokens[at].Is(",")) {
    at = tokens[at].Is("(") || tokens[at].Is("[") || tokens[at].Is("{") ? AfterBrackets(tokens, at)
                                                                        : at + 1;
  }
  return at;
}

// Is it no type of C's own, but a name for one?
bool IsNamed(const std::string& specifiers) {
  for (const Token& token : TokensOf(specifiers)) {
    const std::string& word = token.text;
    if (Types().contains(word) || word == "struct" || word == "union" || word == "enum")
      return false;
  }
  return true;
}

std::size_t WithoutAttributes(const Tokens& tokens, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (tokens[i].Is("__attribute__") || tokens[i].Is("__asm__")) return i;
  }
  return to;
}

}  // namespace

bool Variable::is_const() const {
  const std::vector<std::string> words = NamesIn(before.empty() ? specifiers : before);
  return std::find(words.begin(), words.end(), "const") != words.end();
}

std::string Variable::Declare(const std::string& as) const {
  const bool is_word = !before.empty() && IsWordCharacter(before.back());
  return absl::StrCat(specifiers, " ", before, is_word ? " " : "", as, after);
}

std::optional<Declared> ParseDeclared(std::string_view text) {
  const Tokens tokens = TokensOf(text);
  const auto specifiers = ParseSpecifiers(tokens);
  if (!specifiers) return std::nullopt;
  Declared declared;
  declared.types = specifiers->types;
  for (std::size_t at = specifiers->end; at < tokens.size();) {
    const std::size_t end = AfterDeclarator(tokens, at);
    const auto name = NameOf(tokens, at, end);
    if (!name) return std::nullopt;
    Variable variable;
    variable.name = tokens[*name].text;
    variable.specifiers = specifiers->text;
    variable.before = Spelled(tokens, at, *name);
    variable.after = Spelled(tokens, *name + 1, WithoutAttributes(tokens, *name + 1, end));
    variable.is_static = specifiers->is_static;
    const bool is_function =
        variable.after.starts_with('(') && variable.before.find('(') == std::string::npos;
    if (specifiers->is_typedef) {
      declared.types.push_back(
          {variable.name, absl::StrCat("typedef ", variable.Declare(variable.name), ";")});
    } else {
      (is_function ? declared.functions : declared.variables).push_back(variable);
    }
    at = AfterInitializer(tokens, end) + 1;
  }
  return declared;
}

std::vector<Variable> ParseParameters(std::string_view text) {
  std::vector<Variable> all;
  for (const std::string& parameter : SplitAtCommas(text)) {
    const Tokens tokens = TokensOf(parameter);
    const auto specifiers = ParseSpecifiers(tokens);
    if (!specifiers) continue;
    const auto name = NameOf(tokens, specifiers->end, tokens.size());
    if (!name) continue;
    Variable variable;
    variable.name = tokens[*name].text;
    variable.is_parameter = true;
    variable.specifiers = specifiers->text;
    variable.before = Spelled(tokens, specifiers->end, *name);
    // An array is a pointer to its elements, a function one to it.
    std::size_t after = *name + 1;
    const bool is_function =
        Is(tokens, after, "(") && variable.before.find('(') == std::string::npos;
    if (Is(tokens, after, "[") || is_function) {
      if (!is_function) after = AfterBrackets(tokens, after);
      const bool is_plain = after == tokens.size();
      variable.before += is_plain ? "*" : "(*";
      if (!is_plain) variable.after += ')';
    }
    variable.after += Spelled(tokens, after, WithoutAttributes(tokens, after, tokens.size()));
    // A type's name may be that of an array, too: the parameter has the type of its value.
    if (variable.before.empty() && variable.after.empty() && IsNamed(variable.specifiers)) {
      variable.specifiers = absl::StrCat("__typeof__(((void)0, *(", variable.specifiers, " *)0))");
    }
    all.push_back(variable);
  }
  return all;
}

}  // namespace taskrt
