#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/translator.h"

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
  for (int graph = 1; graph <= graphs_; ++graph) {
    absl::StrAppend(&before, "static char ompc_construct_", graph, ";\n");
  }
  // Weak: of several files the linker takes one.
  for (const std::string& section : sections_) {
    absl::StrAppend(&before, "__attribute__((weak)) void *", section, ";\n");
  }
  const std::string all = absl::StrCat(before, "#line 1 \"", source_.file(), "\"\n", out_, behind);
  if (absl::Status done = HasNoPragmas(Source(all, source_.file())); !done.ok()) return done;
  return all;
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
  if (!absl::IsInvalidArgument(status) || status.message().find(": expected ") != std::string::npos)
    return status;
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
      std::string without = WithoutAttributes(declaration);
      if (const auto prototype = PrototypeOf(without)) without = *prototype;
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
    if (text[at_] == ';' && PrototypeOf(WithoutAttributes(declaration))) {
      declaration += ';';
    } else if (text[at_] == ';') {
      if (const auto declared = ParseDeclared(WithoutAttributes(declaration))) {
        for (Variable variable : declared->variables) {
          variable.is_global = true;
          variable.is_declared_target = is_declaring_target_;
          globals_.variables.push_back(variable);
        }
        globals_.types.insert(globals_.types.end(), declared->types.begin(), declared->types.end());
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
  const Declaration parsed = ParseDeclaration(declaration);
  function_ = parsed.name;
  function_begin_ = at_;
  function_end_ = *end;
  scopes_ = {{*end, ParseParameters(parsed.parameters), {}}};
  if (absl::Status body = Walk(*end); !body.ok()) return body;
  scopes_.clear();
  if (outlined_.empty()) return absl::OkStatus();
  for (const std::string& function : outlined_) absl::StrAppend(&out_, "\n", function);
  outlined_.clear();
  const Source::Line line = source_.LineOf(at_);
  absl::StrAppend(&out_, "#line ", line.number, " \"", line.file, "\"\n");
  return absl::OkStatus();
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

const Variable* Translator::FindDeclared(const std::string& name) const {
  const auto in = [&](const std::vector<Scope>& scopes) -> const Variable* {
    for (std::size_t i = scopes.size(); i-- > 0;) {
      const auto& variables = scopes[i].variables;
      const auto at = std::find_if(variables.rbegin(), variables.rend(),
                                   [&](const Variable& each) { return each.name == name; });
      if (at != variables.rend()) return &*at;
    }
    return nullptr;
  };
  const Variable* found = in(scopes_);
  for (std::size_t i = enclosing_.size(); found == nullptr && i-- > 0;) found = in(enclosing_[i]);
  if (found != nullptr) return found;
  for (auto at = globals_.variables.rbegin(); at != globals_.variables.rend(); ++at) {
    if (at->name == name) return &*at;
  }
  return nullptr;
}

// The text that stands for a name here; empty: the name itself.
std::string Translator::ShownHere(const std::string& name) {
  const bool is_function_name =
      name == "__func__" || name == "__FUNCTION__" || name == "__PRETTY_FUNCTION__";
  // In a construct's function its own would be another.
  if (is_function_name) return enclosing_.empty() ? "" : absl::StrCat("\"", function_, "\"");
  const Variable* const variable = Find(name);
  return variable == nullptr ? "" : variable->shown;
}

std::string Translator::Rewritten(const std::string& text) {
  const std::vector<Token> tokens = TokensOf(text);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::kWord || IsOtherName(tokens, i)) continue;
    const std::string shown = ShownHere(tokens[i].text);
    if (shown.empty()) continue;
    absl::StrAppend(&result, text.substr(copied, tokens[i].begin - copied), shown);
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
  const std::string shown = is_other ? "" : ShownHere(word);
  if (shown.empty()) return Copy(end);
  out_ += shown;
  at_ = end;
}

absl::StatusOr<std::set<std::string>> Translator::UsesOf(std::size_t begin, std::size_t end,
                                                         const Body& body) {
  std::set<std::string> uses;
  const std::size_t at = at_, written = out_.size();
  recorders_.push_back({scopes_.size(), &uses});
  at_ = begin;
  Push(end);
  const absl::Status walked = body();
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
        if (const auto body = is_statement ? std::nullopt : FunctionBodyAt(source_, at_)) {
          if (absl::Status done = WalkNested(*body); !done.ok()) return done;
        } else if (const auto after = source_.AfterStatement(at_); !is_statement && after.ok()) {
          const std::size_t begin = at_;
          Declare(*after - 1);
          if (at_ > begin) continue;
        }
      }
      if (word == "struct" || word == "union" || word == "enum") {
        if (const std::size_t members = AfterMembers(); members > at_) {
          CopyMembers(members);
          may_begin = false;
          before = "}";
          continue;
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
