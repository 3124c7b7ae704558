#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/translator.h"

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

std::string ParametersIn(std::string_view declaration) {
  const std::size_t open = FindOutside(declaration, '(');
  const auto close = Source(declaration, "").AfterBrackets(open);
  return close.ok() ? std::string(declaration.substr(open + 1, *close - open - 2)) : "";
}

}  // namespace

absl::StatusOr<std::string> Translator::Run() {
  auto functions = FunctionsOf(source_);
  if (!functions.ok()) return functions.status();
  functions_ = *std::move(functions);
  if (absl::Status status = WalkFile(); !status.ok()) return status;
  std::string before = "#include \"taskrt/ompc/omp.h\"\n";
  std::string behind = called_.empty() ? "" : "\n/* By ompc: how tasks call functions. */\n";
  for (const std::string& function : called_) {
    absl::StrAppend(&before, "static void ompc_call_", function, "(void **args);\n");
    behind += CallOf(function);
  }
  for (int task = 1; task <= tasks_; ++task) {
    absl::StrAppend(&before, "static void ompc_task_", task, "(void **args);\n");
  }
  // Weak: of several files the linker takes one.
  for (const std::string& section : sections_) {
    absl::StrAppend(&before, "__attribute__((weak)) void *", section, ";\n");
  }
  return absl::StrCat(before, "#line 1 \"", source_.file(), "\"\n", out_, behind);
}

void Translator::Copy(std::size_t to) {
  out_ += source_.Text(at_, to);
  at_ = to;
}

// The lines up to there, without what is on them.
void Translator::Skip(std::size_t to) {
  const std::string skipped = source_.Text(at_, to);
  out_.append(static_cast<std::size_t>(std::count(skipped.begin(), skipped.end(), '\n')), '\n');
  at_ = to;
}

// What was expected, with a line; unless it has one.
absl::Status Translator::At(std::size_t at, const absl::Status& status) const {
  if (status.ok() || status.message().find(": expected ") != std::string::npos) return status;
  return source_.Expected(at, std::string(status.message()));
}

absl::Status Translator::WalkFile() {
  const std::string_view text = source_.text();
  std::string declaration;  // so far
  while (at_ < text.size()) {
    if (source_.IsDirective(at_)) {
      if (absl::Status done = CopyDirective(); !done.ok()) return done;
      continue;
    }
    if (const std::size_t after = source_.AfterText(at_); after > at_) {
      declaration += text[at_] == '/' ? " " : source_.Text(at_, after);
      Copy(after);
      continue;
    }
    if (text[at_] == '{') {
      const std::string without = WithoutAttributes(declaration);
      const auto end = source_.AfterBrackets(at_);
      if (!end.ok()) return end.status();
      if (!ParseDeclaration(without).name.empty()) {
        if (absl::Status done = WalkFunction(without); !done.ok()) return done;
        declaration.clear();
      } else {
        declaration += source_.Text(at_, *end);
        Copy(*end);
      }
      continue;
    }
    if (text[at_] == ';') {
      if (const auto declared = ParseDeclared(WithoutAttributes(declaration))) {
        for (Variable variable : declared->variables) {
          variable.is_global = true;
          variable.is_declared_target = is_declaring_target_;
          globals_.variables.push_back(variable);
        }
      }
      declaration.clear();
    } else {
      declaration += text[at_];
    }
    Copy(at_ + 1);
  }
  return absl::OkStatus();
}

// The body that begins here; behind it, the functions of its tasks.
absl::Status Translator::WalkFunction(const std::string& declaration) {
  const auto end = source_.AfterBrackets(at_);
  if (!end.ok()) return end.status();
  scopes_ = {{*end, ParseParameters(ParametersIn(declaration)), {}}};
  if (absl::Status body = Walk(*end); !body.ok()) return body;
  scopes_.clear();
  if (outlined_.empty()) return absl::OkStatus();
  for (const std::string& function : outlined_) absl::StrAppend(&out_, "\n", function);
  outlined_.clear();
  const Source::Line line = source_.LineOf(at_);
  absl::StrAppend(&out_, "#line ", line.number, " \"", line.file, "\"\n");
  return absl::OkStatus();
}

// The declaration up to there becomes the innermost scope's.
void Translator::Declare(std::size_t to) {
  const auto declared = ParseDeclared(source_.text().substr(at_, to - at_));
  if (!declared) return;
  Scope& scope = scopes_.back();
  scope.variables.insert(scope.variables.end(), declared->variables.begin(),
                         declared->variables.end());
  scope.types.insert(scope.types.end(), declared->types.begin(), declared->types.end());
}

const Variable* Translator::Find(const std::string& name) {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const auto& variables = scopes_[i].variables;
    for (auto at = variables.rbegin(); at != variables.rend(); ++at) {
      if (at->name != name) continue;
      for (const Recorder& recorder : recorders_) {
        if (i < recorder.own) recorder.uses->insert(name);
      }
      return &*at;
    }
  }
  for (auto at = globals_.variables.rbegin(); at != globals_.variables.rend(); ++at) {
    if (at->name != name) continue;
    for (const Recorder& recorder : recorders_) recorder.uses->insert(name);
    return &*at;
  }
  // Of a macro, the variables that it names.
  const auto macro = macros_.find(name);
  if (macro == macros_.end() || recorders_.empty()) return nullptr;
  const std::string text = std::exchange(macro->second, "");  // It may name itself.
  for (const std::string& each : NamesIn(text)) (void)Find(each);
  macros_[name] = text;
  return nullptr;
}

std::string Translator::Rewritten(const std::string& text) {
  const std::vector<Token> tokens = TokensOf(text);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::kWord || IsOtherName(tokens, i)) continue;
    const Variable* const variable = Find(tokens[i].text);
    if (variable == nullptr || variable->shown.empty()) continue;
    absl::StrAppend(&result, text.substr(copied, tokens[i].begin - copied), variable->shown);
    copied = tokens[i].end;
  }
  return result + text.substr(copied);
}

// A word: a variable's name becomes what the variable is here. `before`: what is in front of it.
void Translator::CopyWord(const std::string& before) {
  const std::size_t end = source_.AfterWord(at_);
  const std::string word = source_.Text(at_, end);
  const bool is_other = before == "." || before == "->" || before == "struct" ||
                        before == "union" || before == "enum" || before == "goto" ||
                        (word[0] >= '0' && word[0] <= '9');
  const Variable* const variable = is_other ? nullptr : Find(word);
  if (variable == nullptr || variable->shown.empty()) return Copy(end);
  out_ += variable->shown;
  at_ = end;
}

absl::StatusOr<std::set<std::string>> Translator::UsesOf(std::size_t begin, std::size_t end) {
  std::set<std::string> uses;
  const std::size_t at = at_, written = out_.size();
  recorders_.push_back({scopes_.size(), &uses});
  at_ = begin;
  Push(end);
  const absl::Status walked = Walk(end);
  scopes_.resize(recorders_.back().own);
  recorders_.pop_back();
  at_ = at;
  out_.resize(written);
  if (!walked.ok()) return walked;
  return uses;
}

// "for (", and the scope of what the loop declares.
absl::Status Translator::WalkFor() {
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  Push(*end);
  Copy(source_.AfterSpace(source_.AfterWord(at_)) + 1);
  const std::size_t semicolon = source_.text().find(';', at_);
  Declare(std::min(semicolon, source_.text().size()));
  return absl::OkStatus();
}

absl::Status Translator::Walk(std::size_t end) {
  const std::string_view text = source_.text();
  const std::size_t outer = scopes_.size();
  bool may_begin = true;       // a statement
  std::vector<int> depths{0};  // of parentheses, in each block
  std::string before;          // the last word or mark
  while (at_ < end) {
    while (scopes_.size() > outer && at_ >= scopes_.back().end) scopes_.pop_back();
    if (source_.IsDirective(at_)) {
      if (absl::Status done = CopyDirective(); !done.ok()) return done;
      may_begin = true;
      continue;
    }
    const char c = text[at_];
    if (const std::size_t after = source_.AfterText(at_); after > at_) {
      if (c != '/') before = "text";
      Copy(after);
    } else if (IsWordCharacter(c)) {
      const std::string word = source_.WordAt(at_);
      if (word == "_Pragma") {
        return source_.Expected(at_, "a program that is preprocessed, as it has _Pragma");
      }
      if (may_begin && depths.back() == 0) {
        static const auto& statements = *new std::set<std::string>{
            "for", "if", "while", "switch", "do", "else", "return", "case", "default", "goto"};
        const bool is_statement = statements.contains(word);
        if (const auto after = source_.AfterStatement(at_); !is_statement && after.ok()) {
          Declare(*after - 1);
        }
      }
      const std::size_t head = source_.AfterSpace(source_.AfterWord(at_));
      if (word == "for" && head < text.size() && text[head] == '(') {
        if (absl::Status done = WalkFor(); !done.ok()) return done;
        ++depths.back();
      } else {
        CopyWord(before);
      }
      may_begin = word == "else" || word == "do";
      before = word;
    } else {
      if (c == '{') {
        const auto after = source_.AfterBrackets(at_);
        if (!after.ok()) return after.status();
        Push(*after);
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
      Copy(at_ + 1);
    }
  }
  while (scopes_.size() > outer) scopes_.pop_back();
  return absl::OkStatus();
}

}  // namespace taskrt
