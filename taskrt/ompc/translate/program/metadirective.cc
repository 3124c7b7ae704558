#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "taskrt/ompc/translate/directives/context.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/program/parser.h"

namespace taskrt {
namespace {

// A directive that may take its place, where the condition holds.
struct Candidate {
  std::string condition, text;
};

// The directives up to the first whose context the place has for sure.
absl::StatusOr<std::vector<Candidate>> CandidatesOf(const Directive& directive,
                                                    std::span<const std::string> nest) {
  std::vector<Candidate> all;
  std::string otherwise;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "when") {
      otherwise = clause.text;
      continue;
    }
    const std::size_t colon = FindOutside(clause.text, ':');
    if (colon == std::string::npos) return absl::InvalidArgumentError("SELECTOR: in when");
    const auto condition = ConditionOfContext(std::string_view(clause.text).substr(0, colon), nest);
    if (!condition.ok()) return condition.status();
    if (!condition->has_value()) continue;
    all.push_back({**condition, Trimmed(std::string_view(clause.text).substr(colon + 1))});
    if (all.back().condition.empty()) break;
  }
  if (all.empty() || !all.back().condition.empty()) all.push_back({"", otherwise});
  return all;
}

}  // namespace

// The first directive whose context the place has; where that depends on a value, one of several.
absl::Status Parser::AddChoices(const Directive& directive, std::size_t begin) {
  const auto candidates = CandidatesOf(directive, nest_);
  if (!candidates.ok()) return candidates.status();
  std::vector<Directive> all;
  bool takes_statement = false;
  for (const Candidate& candidate : *candidates) {
    const auto its = ParseDirective(candidate.text.empty() ? "nothing" : candidate.text);
    if (!its.ok()) return its.status();
    all.push_back(*its);
    takes_statement |= !StandsAlone(*its, its->name);
  }
  if (all.size() == 1) return AddDirective(all[0], begin);
  ParsedConstruct construct;
  construct.directive = directive;
  construct.nest = nest_;
  construct.begin = begin;
  construct.at = at_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    at_ = construct.at;
    Code code;
    Code* const outer = std::exchange(code_, &code);
    absl::Status added = AddDirective(all[i], begin);
    code_ = outer;
    if (!added.ok()) return added;
    if (at_ == construct.at && takes_statement) {
      const auto end = source_.AfterStatement(at_);
      if (!end.ok()) return end.status();
      auto statement = ParseCode(*end);
      if (!statement.ok()) return statement.status();
      std::move(statement->begin(), statement->end(), std::back_inserter(code));
    }
    construct.choices.push_back({(*candidates)[i].condition, std::move(code)});
  }
  construct.end = at_;
  AddFrom(begin, at_, std::make_shared<const ParsedConstruct>(std::move(construct)));
  return absl::OkStatus();
}

}  // namespace taskrt
