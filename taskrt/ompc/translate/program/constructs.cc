// Which directives are there, and which code each takes.
#include "taskrt/ompc/translate/directives/constructs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/program/parser.h"

namespace taskrt {
namespace {

bool IsIn(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// An ordered of a loop that is run in order takes no block.
bool IsOrderedByIterations(const Directive& directive, const std::string& part) {
  return part == "ordered" && (directive.Has("depend") || directive.Has("doacross"));
}

bool IsDeclarative(const std::string& name) {
  return name.ends_with("declare target") || name.starts_with("declare") || name == "threadprivate";
}

absl::StatusOr<int> CollapsedOf(const Directive& directive) {
  int count = 1;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "collapse") continue;
    if (!absl::SimpleAtoi(clause.text, &count) || count < 1) {
      return absl::InvalidArgumentError("a number in collapse");
    }
  }
  return count;
}

}  // namespace

bool StandsAlone(const Directive& directive, const std::string& part) {
  return IsIn(part, {"taskwait", "taskyield", "barrier", "flush", "error", "depobj",
                     "task_iteration", "target enter data", "target exit data", "target update"}) ||
         IsOrderedByIterations(directive, part);
}

bool SharesLoops(const Directive& directive, std::size_t part) {
  const std::string& name = directive.parts[part];
  if (name == "for" || name == "loop" || name == "taskloop") return true;
  if (name == "distribute") {
    return part + 1 == directive.parts.size() || directive.parts[part + 1] != "parallel";
  }
  // A simd loop with variables of its own.
  if (name != "simd") return false;
  const bool has_own = directive.Has("private") || directive.Has("linear");
  return directive.Has("inscan") || (has_own && directive.parts.size() == 1);
}

// "#pragma omp ..." as it says; any other line of the preprocessor as it is.
absl::Status Parser::ParseLine() {
  const std::size_t start = at_, end = source_.AfterDirective(at_);
  std::size_t word = source_.AfterSpace(at_ + 1);
  const std::string name = source_.WordAt(word);
  word = source_.AfterSpace(source_.AfterWord(word));
  if (name == "include" && source_.Text(word, end).starts_with("<omp.h>")) {
    Add(end, LibraryHeader());
    at_ = end;
    return absl::OkStatus();
  }
  if (name == "define") {
    const std::string text = source_.Text(word, end);
    if (text.find("_Pragma") != std::string::npos && text.find("omp") != std::string::npos) {
      return source_.Expected(start, "a program that is preprocessed, as it has _Pragma of omp");
    }
    const MacroDefinition macro{source_.WordAt(word), source_.Text(source_.AfterWord(word), end)};
    macros_[macro.name] = macro.text;
    Add(at_, std::make_shared<const MacroDefinition>(macro));
  }
  if (name != "pragma" || source_.WordAt(word) != "omp") {
    AddText(end);
    return absl::OkStatus();
  }
  std::string text = source_.Text(source_.AfterWord(word), end);
  std::replace(text.begin(), text.end(), '\\', ' ');
  const auto directive = ParseDirective(text);
  if (!directive.ok()) return source_.At(start, directive.status());
  AddLineEnds(end);
  return source_.At(start, AddDirective(*directive, start));
}

// The directive's statement, or the body of the innermost of its loops, is a structured block.
absl::Status Parser::CheckBlock(const Directive& directive) const {
  const std::string& last = directive.parts.back();
  const bool has_loops = IsIn(last, {"for", "simd", "loop", "distribute", "taskloop"});
  const bool has_block =
      IsIn(last, {"parallel", "sections", "single", "scope", "master", "masked", "critical",
                  "teams", "task", "target", "taskgroup", "taskgraph", "target data"}) ||
      (last == "ordered" && !IsOrderedByIterations(directive, last));
  if (!has_loops && !has_block) return absl::OkStatus();
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return absl::OkStatus();  // The construct says so.
  Block block{at_, *end};
  if (has_loops) {
    const Clause* const collapse = directive.Find("collapse");
    int count = 1;
    if (collapse != nullptr && !absl::SimpleAtoi(collapse->text, &count)) return absl::OkStatus();
    const auto nest = ParseLoops(source_, at_, count, directive.name, macros_);
    if (!nest.ok()) return absl::OkStatus();
    block = {nest->back().body, *end, Block::Kind::kLoopBody};
  }
  return CheckStructured(source_, block, function_, directive.name, macros_);
}

absl::Status Parser::AddDirective(const Directive& directive, std::size_t begin) {
  const std::string& name = directive.name;
  if (name == "metadirective") return AddChoices(directive, begin);
  if (IsDeclarative(name)) return AddConstruct(directive, begin);
  const bool is_in_function = function_.end > 0;
  if (is_in_function) {
    if (absl::Status closed = CheckBlock(directive); !closed.ok()) return closed;
  }
  // simd may have private variables.
  if (FindConstruct(name) != nullptr && FindConstruct(name)->fate == Fate::kWithoutEffect &&
      !directive.Has("private") && !directive.Has("inscan") && !directive.Has("linear")) {
    return absl::OkStatus();
  }
  if (!is_in_function) {
    return absl::InvalidArgumentError(absl::StrCat(name, " inside of a function"));
  }
  if (const Clause* const nowait = directive.Find("nowait");
      nowait != nullptr && !nowait->text.empty() && directive.parts[0] != "target") {
    return absl::InvalidArgumentError(absl::StrCat("nowait without a condition behind ", name));
  }
  return AddConstruct(directive, begin);
}

absl::Status Parser::AddConstruct(const Directive& directive, std::size_t begin) {
  // The passes after this one call themselves for each.
  constexpr std::size_t kMostInside = 256;
  if (nest_.size() >= kMostInside) {
    return absl::InvalidArgumentError(
        absl::StrCat(kMostInside, " constructs inside of each other at most"));
  }
  ParsedConstruct construct;
  construct.directive = directive;
  construct.nest = nest_;
  construct.begin = begin;
  construct.at = construct.end = at_;
  const absl::Status taken = directive.name == "declare variant" ? ReadVariant(construct)
                             : IsDeclarative(directive.name)     ? absl::OkStatus()
                                                                 : ParseTaken(construct);
  if (!taken.ok()) return taken;
  nest_ = construct.nest;
  at_ = construct.end;
  AddFrom(begin, at_, std::make_shared<const ParsedConstruct>(std::move(construct)));
  return absl::OkStatus();
}

// The variant's declaration follows its directive.
absl::Status Parser::ReadVariant(ParsedConstruct& construct) const {
  const auto variant = ParseVariant(construct.directive);
  if (!variant.ok()) return variant.status();
  const std::string rest(source_.text().substr(source_.AfterSpace(at_)));
  const Declaration declaration = ParseDeclaration(rest.substr(0, rest.find_first_of(";{")));
  if (declaration.name.empty()) {
    return absl::InvalidArgumentError("the variant's declaration behind declare variant");
  }
  construct.variant = {variant->base, variant->device, declaration.name};
  return absl::OkStatus();
}

// The code that the first part takes which takes any.
absl::Status Parser::ParseTaken(ParsedConstruct& construct) {
  const Directive& directive = construct.directive;
  for (std::size_t part = 0; part < directive.parts.size(); ++part) {
    const std::string& name = directive.parts[part];
    nest_.push_back(name);
    if (name == "task_iteration" && !iterations_.contains(at_)) {
      return absl::InvalidArgumentError("task_iteration at the begin of a taskloop's body");
    }
    if (name == "scan") return absl::InvalidArgumentError("scan in a loop with inscan");
    if (name == "section") return absl::InvalidArgumentError("section in a block of sections");
    if (StandsAlone(directive, name)) return absl::OkStatus();
    if (name == "sections") return ParseSections(construct);
    if (SharesLoops(directive, part)) return ParseLoopsOf(construct);
    if (name == "atomic") {
      const auto end = source_.AfterStatement(at_);
      construct.end = end.ok() ? *end : at_;
      return end.status();
    }
  }
  return ParseStatement(construct);
}

absl::Status Parser::ParseStatement(ParsedConstruct& construct) {
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  auto code = ParseCode(*end);
  if (!code.ok()) return code.status();
  construct.code = *std::move(code);
  construct.end = construct.code_end = *end;
  return absl::OkStatus();
}

absl::Status Parser::ParseLoopsOf(ParsedConstruct& construct) {
  const Directive& directive = construct.directive;
  const auto collapsed = CollapsedOf(directive);
  if (!collapsed.ok()) return collapsed.status();
  const bool is_taskloop = nest_.back() == "taskloop";
  auto loops =
      ParseLoops(source_, at_, *collapsed, is_taskloop ? "taskloop" : directive.name, macros_);
  if (!loops.ok()) return loops.status();
  construct.loops = *std::move(loops);
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  construct.end = *end;
  at_ = construct.loops.back().body;
  if (is_taskloop) {
    if (absl::Status read = ParseIterations(construct); !read.ok()) return read;
  }
  if (directive.Has("inscan")) return ParseScan(construct);
  const auto body_end = source_.AfterStatement(at_);
  if (!body_end.ok()) return body_end.status();
  auto code = ParseCode(*body_end);
  if (!code.ok()) return code.status();
  construct.code = *std::move(code);
  construct.code_end = *body_end;
  return absl::OkStatus();
}

// The task_iterations at the begin of a taskloop's body.
absl::Status Parser::ParseIterations(ParsedConstruct& construct) {
  std::size_t at = source_.AfterSpace(at_);
  if (source_.text()[at] == '{') at = source_.AfterSpace(at + 1);
  while (source_.IsDirective(at)) {
    const std::size_t end = source_.AfterDirective(at);
    const std::string text = source_.Text(at + 1, end);
    const std::vector<std::string> words = NamesIn(text);
    if (words.size() < 3 || words[1] != "omp" || words[2] != "task_iteration") break;
    std::string clauses = text.substr(text.find("task_iteration"));
    std::replace(clauses.begin(), clauses.end(), '\\', ' ');
    const auto directive = ParseDirective(clauses);
    if (!directive.ok()) return source_.At(at, directive.status());
    construct.iterations.push_back({at, *directive});
    iterations_.insert(end);
    at = source_.AfterSpace(end);
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseSections(ParsedConstruct& construct) {
  const std::size_t begin = source_.AfterSpace(at_);
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  if (source_.text()[begin] != '{') return absl::InvalidArgumentError("a block behind sections");
  // Where each begins, and its directive.
  std::vector<std::size_t> begins{begin + 1};
  for (std::size_t at = source_.AfterSpace(begin + 1); at < *end - 1;) {
    if (source_.IsDirective(at)) {
      const std::size_t behind = source_.AfterDirective(at);
      std::vector<std::string> words = NamesIn(source_.Text(at, behind));
      if (words.size() == 3 && words[1] == "omp" && words[2] == "section") {
        if (source_.AfterSpace(begins.back()) == at) begins.pop_back();
        begins.push_back(behind);
      }
      at = source_.AfterSpace(behind);
      continue;
    }
    const auto after = source_.AfterStatement(at);
    if (!after.ok()) return after.status();
    at = source_.AfterSpace(*after);
  }
  for (std::size_t i = 0; i < begins.size(); ++i) {
    ParsedSection section{begins[i], *end - 1, {}};
    if (i + 1 < begins.size()) {  // The directive's line is the last before the next.
      section.end = begins[i + 1];
      for (std::size_t at = begins[i]; at < begins[i + 1]; ++at) {
        if (source_.IsDirective(at) && source_.AfterDirective(at) == begins[i + 1]) {
          section.end = at;
        }
      }
    }
    at_ = section.begin;
    auto code = ParseCode(section.end);
    if (!code.ok()) return code.status();
    section.code = *std::move(code);
    construct.sections.push_back(std::move(section));
  }
  construct.end = *end;
  return absl::OkStatus();
}

// The two phases of an iteration, before and behind its scan.
absl::Status Parser::ParseScan(ParsedConstruct& construct) {
  const std::size_t end = construct.end;
  ParsedScan scan;
  scan.begin = source_.AfterSpace(at_);
  const auto none = absl::InvalidArgumentError("a scan in the block of a loop with inscan");
  if (source_.text()[scan.begin] != '{') return none;
  std::size_t at = source_.AfterSpace(++scan.begin);
  while (at < end - 1) {
    if (source_.IsDirective(at)) {
      const std::vector<std::string> words = NamesIn(source_.Text(at, source_.AfterDirective(at)));
      scan.behind = source_.AfterDirective(at);
      scan.is_inclusive = words.size() > 3 && words[3] == "inclusive";
      if (words.size() > 3 && words[2] == "scan") break;
      at = source_.AfterSpace(std::exchange(scan.behind, 0));
      continue;
    }
    const auto after = source_.AfterStatement(at);
    if (!after.ok()) return after.status();
    at = source_.AfterSpace(*after);
  }
  if (scan.behind == 0) return none;
  scan.directive = at;
  at_ = scan.begin;
  auto before = ParseCode(scan.directive);
  if (!before.ok()) return before.status();
  scan.before = *std::move(before);
  at_ = scan.behind;
  auto after = ParseCode(end - 1);
  if (!after.ok()) return after.status();
  scan.after = *std::move(after);
  construct.scan = std::move(scan);
  return absl::OkStatus();
}

}  // namespace taskrt
