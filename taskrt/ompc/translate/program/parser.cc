#include "taskrt/ompc/translate/program/parser.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "taskrt/ompc/translate/c/functions.h"

namespace taskrt {
namespace {

std::string WithoutAttributes(std::string text) {
  for (const char* const word : {"__attribute__", "__asm__", "__declspec"}) {
    for (std::size_t at; (at = text.find(word)) != std::string::npos;) {
      const Source source(text, "");
      std::size_t end = source.AfterSpace(source.AfterWord(at));
      if (end < text.size() && text[end] == '(') {
        const auto after = source.AfterBrackets(end);
        end = after.ok() ? *after : text.size();
      }
      text.erase(at, end - at);
    }
  }
  return text;
}

bool BeginsStatement(const std::string& word) {
  static const auto& statements = *new std::set<std::string>{
      "for", "if", "while", "switch", "do", "else", "return", "case", "default", "goto"};
  return statements.contains(word);
}

}  // namespace

void Parser::AddText(std::size_t end) {
  const bool goes_on = !code_->empty() && code_->back().end == at_ &&
                       std::holds_alternative<PlainText>(code_->back().is);
  if (goes_on) {
    code_->back().end = end;
  } else {
    Add(end, PlainText());
  }
  at_ = end;
}

void Parser::AddLineEnds(std::size_t end) {
  Add(end, LineEnds());
  at_ = end;
}

// `before`: what is in front of the word.
void Parser::AddWord(const std::string& before) {
  const std::size_t end = source_.AfterWord(at_);
  const char first = source_.text()[at_];
  const bool is_other = before == "." || before == "->" || before == "struct" ||
                        before == "union" || before == "enum" || before == "goto" ||
                        (first >= '0' && first <= '9');
  if (is_other) return AddText(end);
  Add(end, Word());
  at_ = end;
}

absl::StatusOr<Code> Parser::ParseFile() {
  const std::string_view text = source_.text();
  Code code;
  code_ = &code;
  std::string declaration;  // so far
  while (at_ < text.size()) {
    if (source_.IsDirective(at_)) {
      if (absl::Status done = ParseLine(); !done.ok()) return done;
      continue;
    }
    if (const std::size_t after = source_.AfterText(at_); after > at_) {
      declaration += text[at_] == '/' ? " " : source_.Text(at_, after);
      AddText(after);
      continue;
    }
    if (text[at_] == '{') {
      std::string without = WithoutAttributes(declaration);
      if (const auto prototype = PrototypeOf(without)) without = *prototype;
      const auto end = source_.AfterBrackets(at_);
      if (!end.ok()) return end.status();
      if (!ParseDeclaration(without).name.empty()) {
        if (absl::Status done = AddFunction(without); !done.ok()) return done;
        declaration.clear();
      } else {
        declaration += source_.Text(at_, *end);
        AddText(*end);
      }
      continue;
    }
    if (text[at_] == ';' && PrototypeOf(WithoutAttributes(declaration))) {
      declaration += ';';
    } else if (text[at_] == ';') {
      if (const auto declared = ParseDeclared(WithoutAttributes(declaration))) {
        AddDeclared({0, declared->variables, declared->types});
      }
      declaration.clear();
    } else {
      declaration += text[at_];
    }
    AddText(at_ + 1);
  }
  return code;
}

// The function whose body begins here.
absl::Status Parser::AddFunction(const std::string& declaration) {
  const auto end = source_.AfterBrackets(at_);
  if (!end.ok()) return end.status();
  const Declaration parsed = ParseDeclaration(declaration);
  const std::size_t begin = at_;
  function_ = {at_, *end};
  auto body = ParseCode(*end);
  function_ = {};
  if (!body.ok()) return body.status();
  AddFrom(begin, *end,
          std::make_shared<const ParsedFunction>(
              ParsedFunction{parsed.name, ParseParameters(parsed.parameters), *std::move(body)}));
  return absl::OkStatus();
}

// "for (", and the scope of what the loop declares.
absl::Status Parser::ParseFor() {
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  OpenScope({*end, {}, {}});
  AddText(source_.AfterSpace(source_.AfterWord(at_)) + 1);
  const std::size_t semicolon = source_.text().find(';', at_);
  Declare(std::min(semicolon, source_.text().size()));
  return absl::OkStatus();
}

// The code from here up to `end`.
absl::StatusOr<Code> Parser::ParseCode(std::size_t end) {
  Code code;
  Code* const outer = std::exchange(code_, &code);
  const absl::Status parsed = ParseBlocks(end);
  code_ = outer;
  if (!parsed.ok()) return parsed;
  return code;
}

absl::Status Parser::ParseBlocks(std::size_t end) {
  const std::string_view text = source_.text();
  bool may_begin = true;       // a statement
  std::vector<int> depths{0};  // of parentheses, in each block
  std::string before;          // the last word or mark
  while (at_ < end) {
    if (source_.IsDirective(at_)) {
      if (absl::Status done = ParseLine(); !done.ok()) return done;
      may_begin = true;
      continue;
    }
    const char c = text[at_];
    if (const std::size_t after = source_.AfterText(at_); after > at_) {
      if (c != '/') before = "text";
      AddText(after);
    } else if (IsWordCharacter(c)) {
      const std::string word = source_.WordAt(at_);
      if (word == "_Pragma") {
        return source_.Expected(at_, "a program that is preprocessed, as it has _Pragma");
      }
      if (may_begin && depths.back() == 0) {
        const bool is_statement = BeginsStatement(word);
        if (const auto body = is_statement ? std::nullopt : FunctionBodyAt(source_, at_)) {
          if (absl::Status done = ParseNested(*body); !done.ok()) return done;
        } else if (const auto after = source_.AfterStatement(at_); !is_statement && after.ok()) {
          const std::size_t begin = at_;
          Declare(*after - 1);
          if (at_ > begin) continue;
        }
      }
      if (word == "struct" || word == "union" || word == "enum") {
        if (const std::size_t members = AfterMembers(); members > at_) {
          ParseMembers(members);
          may_begin = false;
          before = "}";
          continue;
        }
      }
      const std::size_t head = source_.AfterSpace(source_.AfterWord(at_));
      if (word == "for" && head < text.size() && text[head] == '(') {
        if (absl::Status done = ParseFor(); !done.ok()) return done;
        ++depths.back();
      } else {
        AddWord(before);
      }
      may_begin = word == "else" || word == "do";
      before = word;
    } else {
      if (c == '{') {
        const auto after = source_.AfterBrackets(at_);
        if (!after.ok()) return after.status();
        OpenScope({*after, {}, {}});
        depths.push_back(0);
      } else if (c == '}' && depths.size() > 1) {
        depths.pop_back();
      } else if (c == '(') {
        ++depths.back();
      } else if (c == ')') {
        --depths.back();
      }
      const bool is_space =
          c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
      if (!is_space) {
        may_begin = c == '{' || c == '}' || c == ';' || c == ':';
        before = before == "-" && c == '>' ? "->" : std::string(1, c);
      }
      AddText(at_ + 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace taskrt
