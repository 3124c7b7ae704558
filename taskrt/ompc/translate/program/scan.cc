// Loops whose iterations one member runs in their order, as what an iteration does depends on those
// before it: reductions with inscan, lastprivate(conditional), and ordered(n).
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

bool RunsInOrder(const Directive& directive) {
  return std::any_of(directive.clauses.begin(), directive.clauses.end(), [](const Clause& each) {
    return each.name == "inscan" || each.name == "conditional" ||
           (each.name == "ordered" && !each.text.empty());
  });
}

// The input phase of an iteration adds to a private variable, whose first value is the operator's,
// and the variable outside has the sum of all iterations so far: its value is read in the phase
// behind an inclusive scan, or before an exclusive one.
absl::StatusOr<Privates> Translator::ScannedOf(const Directive& directive) {
  Privates all;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "inscan") continue;
    if (absl::Status added = AddReduction(clause, all); !added.ok()) return added;
  }
  for (const Variable& variable : all.own.variables) {
    if (variable.is_array()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no array in a reduction with inscan, as ", variable.name));
    }
  }
  return all;
}

absl::Status Translator::Scan(const Privates& scanned, std::size_t end) {
  const std::size_t begin = source_.AfterSpace(at_);
  const auto none = absl::InvalidArgumentError("a scan in the block of a loop with inscan");
  if (source_.text()[begin] != '{') return none;
  std::size_t at = source_.AfterSpace(begin + 1), behind = 0;
  bool is_inclusive = false;
  while (at < end - 1) {
    if (source_.IsDirective(at)) {
      const std::vector<std::string> words = NamesIn(source_.Text(at, source_.AfterDirective(at)));
      behind = source_.AfterDirective(at);
      is_inclusive = words.size() > 3 && words[3] == "inclusive";
      if (words.size() > 3 && words[2] == "scan") break;
      at = source_.AfterSpace(std::exchange(behind, 0));
      continue;
    }
    const auto after = source_.AfterStatement(at);
    if (!after.ok()) return after.status();
    at = source_.AfterSpace(*after);
  }
  if (behind == 0) return none;
  std::string taken, given, initial;
  for (const Variable& variable : scanned.own.variables) {
    const std::string& name = variable.name;
    const std::string first = absl::StrCat("ompc_initial_", name);
    absl::StrAppend(&initial, "__typeof__(", name, ") ", first, " = ", name, "; (void)", first,
                    "; ");
    absl::StrAppend(&given, name, " = ", first, "; ");
    absl::StrAppend(&taken, name, " = *ompc_reduced_", name, "; ");
  }
  absl::StrAppend(&out_, "{ ", scanned.declared, initial, is_inclusive ? "" : taken);
  scopes_.push_back(scanned.own);
  scopes_.back().end = source_.text().size();
  const std::size_t depth = scopes_.size();
  Skip(begin + 1);
  if (absl::Status walked = Walk(at); !walked.ok()) return walked;
  scopes_.resize(depth);
  absl::StrAppend(&out_, " ", is_inclusive ? scanned.combined + taken : given);
  Skip(behind);
  if (absl::Status walked = Walk(end - 1); !walked.ok()) return walked;
  scopes_.resize(depth - 1);
  Skip(end);
  absl::StrAppend(&out_, " ", is_inclusive ? "" : scanned.combined, "}");
  return absl::OkStatus();
}

}  // namespace taskrt
