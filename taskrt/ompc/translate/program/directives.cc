#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/constructs.h"
#include "taskrt/ompc/translate/regions/translator.h"

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

// The directive's statement, or the body of the innermost of its loops, is a structured block.
absl::Status Translator::CheckBlock(const Directive& directive) const {
  static const auto& loops =
      *new std::set<std::string>{"for", "simd", "loop", "distribute", "taskloop"};
  static const auto& others = *new std::set<std::string>{
      "parallel", "sections", "single", "scope",     "master",    "masked",     "critical",
      "teams",    "task",     "target", "taskgroup", "taskgraph", "target data"};
  const std::string& last = directive.parts.back();
  const bool is_ordered =
      last == "ordered" && !directive.Has("depend") && !directive.Has("doacross");
  if (!loops.contains(last) && !others.contains(last) && !is_ordered) return absl::OkStatus();
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return absl::OkStatus();  // The construct says so.
  Block block{at_, *end};
  if (loops.contains(last)) {
    const Clause* const collapse = directive.Find("collapse");
    int count = 1;
    if (collapse != nullptr && !absl::SimpleAtoi(collapse->text, &count)) return absl::OkStatus();
    const auto nest = ParseLoops(source_, at_, count, directive.name, macros_);
    if (!nest.ok()) return absl::OkStatus();
    block = {nest->back().body, *end, Block::Kind::kLoopBody};
  }
  return CheckStructured(source_, block, {function_begin_, function_end_}, directive.name, macros_);
}

absl::Status Translator::Translate(const Directive& directive) {
  const std::string& name = directive.name;
  if (name == "metadirective") return MetaDirective(directive);
  if (name.ends_with("declare target") || name.starts_with("declare") || name == "threadprivate") {
    return Declare(directive);
  }
  if (!scopes_.empty()) {
    if (absl::Status closed = CheckBlock(directive); !closed.ok()) return closed;
  }
  // simd may have private variables.
  if (FindConstruct(name) != nullptr && FindConstruct(name)->fate == Fate::kWithoutEffect &&
      !directive.Has("private") && !directive.Has("inscan") && !directive.Has("linear")) {
    return absl::OkStatus();
  }
  if (scopes_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " inside of a function"));
  }
  if (is_in_target_ && (name.starts_with("target") || directive.Has("depend"))) {
    return absl::InvalidArgumentError(
        absl::StrCat("no ", name, directive.Has("depend") ? " with depend" : "",
                     " inside of a target, whose statement runs on a device"));
  }
  if (const Clause* const nowait = directive.Find("nowait");
      nowait != nullptr && !nowait->text.empty() && directive.parts[0] != "target") {
    return absl::InvalidArgumentError(absl::StrCat("nowait without a condition behind ", name));
  }
  return Part(directive, 0);
}

// The construct from this part on; behind the last one, the statement.
absl::Status Translator::Part(const Directive& directive, std::size_t part) {
  if (part == directive.parts.size()) {
    const auto end = source_.AfterStatement(at_);
    if (!end.ok()) return end.status();
    return Walk(*end);
  }
  nest_.push_back(directive.parts[part]);
  const absl::Status done = PartItself(directive, part);
  nest_.pop_back();
  return done;
}

absl::Status Translator::PartItself(const Directive& directive, std::size_t part) {
  const std::string& name = directive.parts[part];
  const auto call = [&](const std::string& text) {
    absl::StrAppend(&out_, " { ", text, " }");
    return absl::OkStatus();
  };
  const Body rest = [&] { return Part(directive, part + 1); };
  if (name == "parallel") return Parallel(directive, part);
  if (name == "for" || name == "loop") return For(directive, part);
  if (name == "sections") return Sections(directive, part);
  if (name == "single") return Single(directive);
  if (name == "scope") return ScopeRegion(directive);
  if (name == "master") return Around("if (ompc_member() == 0) {", "}", rest);
  if (name == "masked") {
    const Clause* const filter = directive.Find("filter");
    return Around(absl::StrCat("if (ompc_member() == (",
                               filter == nullptr ? "0" : Rewritten(filter->text), ")) {"),
                  "}", rest);
  }
  if (name == "task") return Task(directive);
  if (name == "taskloop") return TaskLoop(directive);
  if (name == "taskwait" && directive.Has("depend")) return TaskWait(directive);
  if (name == "taskwait") return call("ompc_require(ompc_task_wait());");
  if (name == "task_iteration") {
    // The taskloop has read it.
    if (iterations_.contains(at_)) return absl::OkStatus();
    return absl::InvalidArgumentError("task_iteration at the begin of a taskloop's body");
  }
  if (name == "taskgraph") return TaskGraph(directive);
  if (name == "depobj") return DependObject(directive);
  if (name == "barrier") return call("ompc_barrier();");
  if (name == "taskyield") return call("ompc_require(ompc_task_yield());");
  if (name == "taskgroup") {
    return Around("ompc_require(ompc_group_begin());", "ompc_require(ompc_group_end());");
  }
  if (name == "critical") {
    const Clause* const its = directive.Find("");
    const Section section = SectionOf(its == nullptr ? "" : its->text);
    return Around(section.begin, section.end);
  }
  if (name == "scan") return absl::InvalidArgumentError("scan in a loop with inscan");
  // In a loop that is run in order, nothing is left to wait for.
  if (name == "ordered" && (directive.Has("depend") || directive.Has("doacross"))) return call("");
  if (name == "error") return ErrorOf(directive);
  if (name == "ordered") return Around("ompc_ordered_begin();", "ompc_ordered_end();");
  if (name == "atomic") return Atomic(directive);
  if (name == "flush") return call("__sync_synchronize();");
  if (name == "target") return Target(directive, part);
  if (name == "target data") return TargetData(directive);
  if (name.starts_with("target ")) return TargetDataAction(directive);
  if (name == "section") return absl::InvalidArgumentError("section in a block of sections");
  if (name == "teams") return Teams(directive, part);
  const bool is_shared_inside =
      part + 1 < directive.parts.size() && directive.parts[part + 1] == "parallel";
  if (name == "distribute") return is_shared_inside ? rest() : For(directive, part);
  const bool has_own = directive.Has("private") || directive.Has("linear");
  if (directive.Has("inscan") || (has_own && directive.parts.size() == 1)) {
    return For(directive, part);
  }
  // simd: the loop is run as it is.
  const auto privates = PrivatesOf(directive, part);
  if (!privates.ok()) return privates.status();
  return privates->own.variables.empty() ? rest() : InPrivates(*privates, "", "", rest);
}

// The condition of if, or of the if of this part; empty: there is none.
absl::StatusOr<std::string> Translator::ConditionOf(const Directive& directive,
                                                    std::string_view part) {
  std::string condition;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "if") continue;
    const std::size_t colon = FindOutside(clause.text, ':');
    const bool is_plain =
        colon == std::string::npos || FindOutside(clause.text, '?') != std::string::npos;
    const std::string of = is_plain ? "" : Trimmed(std::string_view(clause.text).substr(0, colon));
    if (!is_plain && of != part) continue;
    condition = Rewritten(is_plain ? clause.text
                                   : Trimmed(std::string_view(clause.text).substr(colon + 1)));
  }
  return condition;
}

// By default the translation ends. Errors: Aborted, with the directive's message.
absl::Status Translator::ErrorOf(const Directive& directive) {
  const auto says = [&](const std::string& clause, const std::string& word) {
    const Clause* const found = directive.Find(clause);
    return found != nullptr && found->text == word;
  };
  const Clause* const given = directive.Find("message");
  const std::string message = given == nullptr ? "\"an error directive\"" : Rewritten(given->text);
  const Source::Line line = source_.LineOf(at_ - 1);
  const bool is_warning = says("severity", "warning");
  if (says("at", "execution")) {
    absl::StrAppend(&out_, " { ompc_report(", is_warning ? 0 : 1, ", ", message, ", \"", line.file,
                    "\", ", line.number, "); }");
    return absl::OkStatus();
  }
  if (!is_warning) {
    return absl::AbortedError(absl::StrCat(line.file, ":", line.number, ": ", message));
  }
  std::string quoted;
  for (const char c : message)
    absl::StrAppend(&quoted, c == '"' || c == '\\' ? "\\" : "", std::string(1, c));
  absl::StrAppend(&out_, " _Pragma(\"GCC warning ", quoted, "\") ");
  return absl::OkStatus();
}

// A statement, with something before and behind it.
absl::Status Translator::Around(const std::string& before, const std::string& behind,
                                const Body& body) {
  absl::StrAppend(&out_, " { ", before);
  Push(source_.text().size());
  const std::size_t depth = scopes_.size();
  if (absl::Status done = body(); !done.ok()) return done;
  scopes_.resize(depth - 1);
  absl::StrAppend(&out_, " ", behind, " }");
  return absl::OkStatus();
}
absl::Status Translator::Around(const std::string& before, const std::string& behind) {
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  return Around(before, behind, [&] { return Walk(*end); });
}

}  // namespace taskrt
