#include "taskrt/ompc/translate/c/loop.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

// At the semicolons outside of brackets.
std::vector<std::string> SplitAtSemicolons(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t semicolon = FindOutside(text, ';');
    parts.push_back(Trimmed(text.substr(0, semicolon)));
    if (semicolon == std::string_view::npos) return parts;
    text.remove_prefix(semicolon + 1);
  }
}

std::string Turned(const std::string& relation) {
  if (relation[0] == '<') return absl::StrCat(">", relation.substr(1));
  if (relation[0] == '>') return absl::StrCat("<", relation.substr(1));
  return relation;
}

// "i < n", "n > i"
bool ParseTest(const std::string& text, Loop& loop) {
  for (const char* const relation : {"<=", ">=", "!=", "<", ">"}) {
    // Outside of brackets, and none of "->", "<<" and ">>".
    for (std::size_t from = 0;;) {
      const std::size_t at = FindOutside(std::string_view(text).substr(from), relation[0]);
      if (at == std::string::npos) break;
      const std::size_t begin = from + at;
      from = begin + 1;
      const std::string_view rest = std::string_view(text).substr(begin);
      if (!rest.starts_with(relation)) continue;
      const std::size_t end = begin + std::string_view(relation).size();
      const char before = begin == 0 ? ' ' : text[begin - 1];
      const char after = end == text.size() ? ' ' : text[end];
      if (before == '-' || before == relation[0] || after == relation[0] || after == '=') continue;
      const std::string left = Trimmed(std::string_view(text).substr(0, begin));
      const std::string right = Trimmed(std::string_view(text).substr(end));
      loop.relation = left == loop.variable ? relation : Turned(relation);
      loop.upper = left == loop.variable ? right : left;
      return left == loop.variable || right == loop.variable;
    }
  }
  return false;
}

// "i++", "--i", "i += n", "i = i - n", "i = n + i"
bool ParseStep(const std::string& text, Loop& loop) {
  const std::string& name = loop.variable;
  const std::vector<Token> tokens = TokensOf(text);
  std::vector<std::string> words;
  for (const Token& token : tokens) words.push_back(token.text);
  const auto rest = [&](std::size_t from) {
    return absl::StrCat("(", Trimmed(std::string_view(text).substr(tokens[from].begin)), ")");
  };
  using Words = std::vector<std::string>;
  if (words == Words{name, "+", "+"} || words == Words{"+", "+", name}) {
    loop.step = "1";
  } else if (words == Words{name, "-", "-"} || words == Words{"-", "-", name}) {
    loop.step = "-1";
  } else if (words.size() >= 4 && words[0] == name && words[2] == "=" &&
             (words[1] == "+" || words[1] == "-")) {
    loop.step = absl::StrCat(words[1] == "-" ? "-(long)" : "", rest(3));
  } else if (words.size() >= 5 && words[0] == name && words[1] == "=" && words[2] == name &&
             (words[3] == "+" || words[3] == "-")) {
    loop.step = absl::StrCat(words[3] == "-" ? "-(long)" : "", rest(4));
  } else if (words.size() >= 5 && words[0] == name && words[1] == "=" && words.back() == name &&
             words[words.size() - 2] == "+") {
    const std::size_t from = tokens[2].begin, to = tokens[tokens.size() - 2].begin;
    loop.step = absl::StrCat("(", text.substr(from, to - from), ")");
  } else {
    return false;
  }
  return true;
}

// A number that is not 1 or -1: "(2)", "-(long)(2)".
bool IsLargeNumber(const std::string& step) {
  std::string digits;
  for (const Token& token : TokensOf(step)) {
    if (token.kind == Token::Kind::kLiteral) digits += token.text;
    const bool is_around =
        token.Is("(") || token.Is(")") || token.Is("-") || token.Is("+") || token.Is("long");
    if (token.kind != Token::Kind::kLiteral && !is_around) return false;
  }
  int number = 0;
  return absl::SimpleAtoi(digits, &number) && number != 1;
}

// tile and unroll leave the loop the same.
std::size_t AfterTransformations(const Source& source, std::size_t at) {
  while (source.IsDirective(at)) {
    const std::vector<std::string> words = NamesIn(source.Text(at, source.AfterDirective(at)));
    const bool is_one = words.size() > 2 && words[0] == "pragma" && words[1] == "omp" &&
                        (words[2] == "tile" || words[2] == "unroll");
    if (!is_one) break;
    at = source.AfterSpace(source.AfterDirective(at));
  }
  return at;
}

// Is it in the text, or in a macro's?
bool HasName(const std::string& text, const std::string& name, const Macros& macros, int depth) {
  for (const std::string& word : NamesIn(text)) {
    const auto macro = macros.find(word);
    if (word == name) return true;
    if (depth < 8 && macro != macros.end() && HasName(macro->second, name, macros, depth + 1)) {
      return true;
    }
  }
  return false;
}

absl::StatusOr<Loop> ParseLoop(const Source& source, std::size_t at, const std::string& directive) {
  at = AfterTransformations(source, source.AfterSpace(at));
  const auto wrong =
      source.Expected(at, absl::StrCat("for (i = LOWER; i < UPPER; i += STEP) behind ", directive,
                                       ", of these parts alone"));
  if (source.WordAt(at) != "for") return wrong;
  const std::size_t head = source.AfterSpace(source.AfterWord(at));
  if (head == source.text().size() || source.text()[head] != '(') return wrong;
  const auto after = source.AfterBrackets(head);
  if (!after.ok()) return after.status();
  const auto parts = SplitAtSemicolons(source.text().substr(head + 1, *after - head - 2));
  if (parts.size() != 3) return wrong;
  Loop loop;
  loop.body = *after;
  const std::size_t equals = FindOutside(parts[0], '=');
  if (equals == std::string::npos) return wrong;
  if (const auto declared = ParseDeclared(parts[0])) {
    if (declared->variables.size() != 1) return wrong;
    loop.declares = declared->variables[0];
    loop.variable = loop.declares->name;
  } else {
    loop.variable = Trimmed(std::string_view(parts[0]).substr(0, equals));
  }
  loop.lower = Trimmed(std::string_view(parts[0]).substr(equals + 1));
  const bool is_word = std::all_of(loop.variable.begin(), loop.variable.end(), IsWordCharacter);
  if (!is_word || loop.variable.empty() || FindOutside(loop.lower, ',') != std::string::npos ||
      !ParseTest(parts[1], loop) || !ParseStep(parts[2], loop)) {
    return wrong;
  }
  if (loop.relation == "!=" && IsLargeNumber(loop.step)) {
    return source.Expected(
        at, absl::StrCat("a step of 1 or -1 with != behind ", directive, ", not ", loop.step));
  }
  return loop;
}

}  // namespace

std::string Loop::Count(const std::string& lower_name, const std::string& upper_name,
                        const std::string& step_name) const {
  const std::string all = absl::StrCat(lower_name, ", ", upper_name, ", ", step_name);
  if (relation == "!=") return absl::StrCat("OMPC_UNTIL(", all, ")");
  return absl::StrCat(relation[0] == '<' ? "OMPC_UP_TO(" : "OMPC_DOWN_TO(", all, ", ",
                      relation.size() - 1, ")");
}

absl::StatusOr<std::vector<Loop>> ParseLoops(const Source& source, std::size_t at, int count,
                                             const std::string& directive, const Macros& macros) {
  std::vector<Loop> loops;
  while (static_cast<int>(loops.size()) < count) {
    at = source.AfterSpace(at);
    std::size_t behind = at;
    // A block that is the next loop alone.
    while (!loops.empty() && at < source.text().size() && source.text()[at] == '{') {
      at = source.AfterSpace(at + 1);
      const auto after = source.AfterStatement(at);
      if (!after.ok()) return after.status();
      behind = source.AfterSpace(*after);
      if (source.text()[behind] != '}') {
        return source.Expected(
            behind, absl::StrCat("nothing but a loop in the loop that collapse(", count, ") has"));
      }
    }
    auto loop = ParseLoop(source, at, directive);
    if (!loop.ok()) return loop.status();
    for (const Loop& outer : loops) {
      const auto names_it = [&](const std::string& text) {
        return HasName(text, outer.variable, macros, 0);
      };
      loop->depends |= names_it(loop->lower) || names_it(loop->upper);
      if (names_it(loop->step)) {
        return source.Expected(
            at, absl::StrCat("a loop with the same step in all iterations of ", outer.variable));
      }
    }
    at = loop->body;
    loops.push_back(*std::move(loop));
  }
  return loops;
}

}  // namespace taskrt
