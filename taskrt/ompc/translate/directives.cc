#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/translator.h"

namespace taskrt {

// A program has one variable for each section, which finds it once. It is no static one of the
// function: an inline function may have none.
Translator::Section Translator::SectionOf(const std::string& name) {
  const std::string variable = absl::StrCat("ompc_section_", name);
  sections_.insert(variable);
  return {absl::StrCat("ompc_critical_begin(&", variable, ", \"", name, "\");"),
          absl::StrCat("ompc_critical_end(&", variable, ");")};
}

// "#pragma omp ..." as it says; any other line of the preprocessor as it is.
absl::Status Translator::CopyDirective() {
  const std::size_t start = at_, end = source_.AfterDirective(at_);
  std::size_t word = source_.AfterSpace(at_ + 1);
  const std::string name = source_.WordAt(word);
  word = source_.AfterSpace(source_.AfterWord(word));
  if (name == "include" && source_.Text(word, end).starts_with("<omp.h>")) {
    out_ += "#include \"taskrt/ompc/omp_library.h\"";
    at_ = end;
    return absl::OkStatus();
  }
  if (name == "define") {
    const std::string text = source_.Text(word, end);
    if (text.find("_Pragma") != std::string::npos && text.find("omp") != std::string::npos) {
      return source_.Expected(start, "a program that is preprocessed, as it has _Pragma of omp");
    }
    macros_[source_.WordAt(word)] = source_.Text(source_.AfterWord(word), end);
  }
  if (name != "pragma" || source_.WordAt(word) != "omp") {
    Copy(end);
    return absl::OkStatus();
  }
  std::string text = source_.Text(source_.AfterWord(word), end);
  std::replace(text.begin(), text.end(), '\\', ' ');
  const auto directive = ParseDirective(text);
  if (!directive.ok()) return At(start, directive.status());
  Skip(end);
  return At(start, Translate(*directive));
}

absl::Status Translator::Translate(const Directive& directive) {
  const std::string& name = directive.name;
  if (name.ends_with("declare target")) return DeclareTarget(directive);
  if (name == "declare variant") return AddVariant(directive);
  if (scopes_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " inside of a function"));
  }
  if (is_in_target_) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no directive inside of a target, whose statement runs on a device, not ", name));
  }
  const auto call = [&](const std::string& function) {
    absl::StrAppend(&out_, " { ompc_begin(); ompc_require(", function, "); }");
    return absl::OkStatus();
  };
  if (const Clause* const nowait = directive.Find("nowait");
      nowait != nullptr && !nowait->text.empty() && name == "single") {
    return absl::InvalidArgumentError("nowait without a condition behind single");
  }
  if (name == "parallel") return Parallel(directive);
  if (name == "single") return Single(directive);
  if (name == "master" || name == "masked") return absl::OkStatus();  // One thread is all there is.
  if (name == "task") return Task(directive);
  if (name == "taskloop") return TaskLoop(directive);
  if (name == "taskwait" && directive.Has("depend")) return TaskWait(directive);
  if (name == "taskwait" || name == "barrier") return call("ompc_task_wait()");
  if (name == "taskyield") return call("ompc_task_yield()");
  if (name == "taskgroup") {
    return Around("ompc_begin(); ompc_require(ompc_group_begin());",
                  "ompc_require(ompc_group_end());");
  }
  if (name == "critical") {
    const Clause* const its = directive.Find("");
    const Section section = SectionOf(its == nullptr ? "" : its->text);
    return Around(section.begin, section.end);
  }
  if (name == "atomic") return Atomic();
  if (name == "flush") {
    out_ += " { __sync_synchronize(); }";
    return absl::OkStatus();
  }
  if (name == "target") return Target(directive);
  if (name == "target data") return TargetData(directive);
  return TargetDataAction(directive);
}

// In a section that all atomic statements share. An expression that is added to a variable comes
// before: it may wait, or have such statements itself.
absl::Status Translator::Atomic() {
  const Section section = SectionOf("0atomic");  // Which no program can write.
  const std::size_t begin = source_.AfterSpace(at_);
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  const std::string statement = source_.Text(begin, *end - 1);
  const std::vector<Token> tokens = TokensOf(statement);
  int depth = 0;
  bool calls = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && tokens[i].Is("(") && tokens[i - 1].kind == Token::Kind::kWord) calls = true;
    depth += tokens[i].Is("(") || tokens[i].Is("[") ? 1 : 0;
    depth -= tokens[i].Is(")") || tokens[i].Is("]") ? 1 : 0;
    // x += EXPRESSION
    static constexpr std::string_view kOperators = "+-*/&|^<>";
    const bool is_update = depth == 0 && i > 0 && tokens[i].Is("=") && i + 1 < tokens.size() &&
                           tokens[i - 1].kind == Token::Kind::kMark &&
                           kOperators.find(tokens[i - 1].text) != std::string_view::npos &&
                           !tokens[i + 1].Is("=");
    if (!is_update || statement[0] == '{') continue;
    const std::string left = Rewritten(statement.substr(0, tokens[i].end));
    const std::string right = Rewritten(statement.substr(tokens[i + 1].begin));
    absl::StrAppend(&out_, " { __typeof__((", right, ")) ompc_value = ", right, "; ", section.begin,
                    " ", left, " ompc_value; ", section.end, " }");
    Skip(*end);
    return absl::OkStatus();
  }
  if (calls) {
    return absl::InvalidArgumentError("VARIABLE OPERATOR= EXPRESSION behind atomic where it calls");
  }
  return Around(section.begin, section.end);
}

// The statement that follows, with something before and behind it.
absl::Status Translator::Around(const std::string& before, const std::string& behind) {
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  absl::StrAppend(&out_, " { ", before);
  Push(*end);
  const std::size_t depth = scopes_.size();
  if (absl::Status body = Walk(*end); !body.ok()) return body;
  scopes_.resize(depth - 1);
  absl::StrAppend(&out_, " ", behind, " }");
  return absl::OkStatus();
}

// What private and firstprivate declare anew; `scope` gets it.
absl::StatusOr<std::string> Translator::PrivateOf(const Directive& directive, Scope& scope) {
  std::string first, text;
  int braces = 0;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "private" && clause.name != "firstprivate") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      const Variable* const found = Find(item.base);
      if (found == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("a declaration of ", item.base, " in this file, for ", clause.name));
      }
      Variable variable = *found;
      const std::string shown = variable.shown.empty() ? variable.name : variable.shown;
      variable.shown.clear();
      variable.is_static = variable.is_global = false;
      if (clause.name == "private") {
        absl::StrAppend(&text, variable.Declare(variable.name), "; (void)", variable.name, "; ");
      } else {
        absl::StrAppend(&first, "__typeof__(", shown, ") *ompc_first_", variable.name, " = &(",
                        shown, "); ");
        absl::StrAppend(&text, variable.Declare(variable.name), "; __builtin_memcpy((void *)&",
                        variable.name, ", (const void *)ompc_first_", variable.name, ", sizeof ",
                        variable.name, "); ");
      }
      scope.variables.push_back(variable);
      ++braces;
    }
  }
  return braces == 0 ? "" : absl::StrCat(first, "{ ", text);
}

// One thread runs it. Its variables from outside are shared by its tasks.
absl::Status Translator::Parallel(const Directive& directive) {
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  Scope shared{*end, {}, {}};
  for (const Scope& scope : scopes_) {
    for (Variable variable : scope.variables) {
      variable.is_shared = true;
      shared.variables.push_back(variable);
    }
  }
  const bool records = !recorders_.empty();  // Then the names must be found in their own scopes.
  Scope own{*end, {}, {}};
  const auto privates = PrivateOf(directive, own);
  if (!privates.ok()) return privates.status();
  absl::StrAppend(&out_, " { ompc_begin();", privates->empty() ? "" : " ", *privates);
  const std::size_t depth = scopes_.size();
  if (!records) scopes_.push_back(shared);
  scopes_.push_back(own);
  if (absl::Status body = Walk(*end); !body.ok()) return body;
  scopes_.resize(depth);
  absl::StrAppend(&out_, " ompc_require(ompc_task_wait()); }", privates->empty() ? "" : " }");
  return absl::OkStatus();
}

absl::Status Translator::Single(const Directive& directive) {
  Scope own;
  const auto privates = PrivateOf(directive, own);
  if (!privates.ok()) return privates.status();
  if (privates->empty() && directive.Has("nowait")) return absl::OkStatus();
  scopes_.push_back(own);
  scopes_.back().end = source_.text().size();
  const absl::Status done = Around(
      *privates, absl::StrCat(privates->empty() ? "" : "} ",
                              directive.Has("nowait") ? "" : "ompc_require(ompc_task_wait());"));
  scopes_.pop_back();
  return done;
}

// Its functions are the host's, which simulated devices call, too; its variables are the host's.
absl::Status Translator::DeclareTarget(const Directive& directive) {
  bool has_list = false;
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "device_type") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    has_list = true;
    for (const ListItem& item : *items) {
      for (Variable& variable : globals_.variables) {
        if (variable.name == item.base) variable.is_declared_target = true;
      }
    }
  }
  if (!has_list) is_declaring_target_ = directive.name != "end declare target";
  return absl::OkStatus();
}

// The variant's declaration follows.
absl::Status Translator::AddVariant(const Directive& directive) {
  const auto variant = ParseVariant(directive);
  if (!variant.ok()) return variant.status();
  const std::size_t start = source_.AfterSpace(at_);
  const std::string rest(source_.text().substr(start));
  const Declaration declaration = ParseDeclaration(rest.substr(0, rest.find_first_of(";{")));
  if (declaration.name.empty()) {
    return absl::InvalidArgumentError("the variant's declaration behind declare variant");
  }
  variants_[variant->base][variant->device] = declaration.name;
  return absl::OkStatus();
}

}  // namespace taskrt
