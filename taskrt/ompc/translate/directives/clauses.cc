#include "taskrt/ompc/translate/directives/clauses.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {
namespace {

constexpr auto kOnce = std::to_array<std::string_view>(
    {"bind",      "collapse",    "default", "device",       "dist_schedule", "filter",
     "final",     "grainsize",   "hint",    "nogroup",      "nowait",        "num_tasks",
     "num_teams", "num_threads", "order",   "ordered",      "priority",      "proc_bind",
     "safelen",   "schedule",    "simdlen", "thread_limit", "detach",        "graph_id"});

// Clauses of an expression: name() says nothing.
constexpr auto kOfExpressions = std::to_array<std::string_view>(
    {"detach", "device", "filter", "final", "grainsize", "graph_id", "if", "num_tasks", "num_teams",
     "num_threads", "num_units", "priority"});

template <std::size_t kSize>
bool IsIn(const std::array<std::string_view, kSize>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The list of a clause that says how variables are shared; empty: it says no such thing.
std::string ListOf(const Clause& clause) {
  const std::string& text = clause.text;
  const std::size_t colon = FindOutside(text, ':');
  if (clause.name == "private" || clause.name == "shared" || clause.name == "lastprivate" ||
      clause.name == "conditional") {
    return text;
  }
  if (clause.name == "firstprivate") {
    return colon == std::string::npos ? text : text.substr(colon + 1);
  }
  if (clause.name == "linear") return text.substr(0, colon);
  const bool is_reduction = clause.name == "reduction" || clause.name == "in_reduction" ||
                            clause.name == "inscan" || clause.name == "task_reduction";
  return is_reduction && colon != std::string::npos ? text.substr(colon + 1) : "";
}

// firstprivate gives a variable its first value, and others take it home.
bool GoTogether(const std::string& one, const std::string& other) {
  const auto brings = [](const std::string& name) {
    return name == "lastprivate" || name == "conditional";
  };
  return (one == "firstprivate" && brings(other)) || (other == "firstprivate" && brings(one));
}

}  // namespace

absl::Status CheckClauses(const Directive& directive, std::span<const Clause> clauses) {
  std::set<std::string> once;
  std::map<std::string, std::vector<std::string>> listed;  // the clauses that list a variable
  for (const Clause& clause : clauses) {
    if (clause.text.empty() && IsIn(kOfExpressions, clause.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("an expression in ", clause.name, "(...) behind ", directive.name));
    }
    // An if for each part of a combined construct.
    const std::size_t colon = FindOutside(clause.text, ':');
    const bool has_part = colon != std::string::npos &&
                          FindOutside(clause.text.substr(0, colon), '?') == std::string::npos;
    const std::string of =
        clause.name == "if" && has_part
            ? absl::StrCat("if(", Trimmed(std::string_view(clause.text).substr(0, colon)), ":")
            : clause.name;
    if ((IsIn(kOnce, clause.name) || clause.name == "if") && !once.insert(of).second) {
      return absl::InvalidArgumentError(absl::StrCat("one ", of, " behind ", directive.name));
    }
    for (const std::string& item : SplitAtCommas(ListOf(clause))) {
      // Parts of an array may be in several.
      if (item.empty() || !std::all_of(item.begin(), item.end(), IsWordCharacter)) continue;
      for (const std::string& other : listed[item]) {
        if (GoTogether(clause.name, other)) continue;
        return absl::InvalidArgumentError(absl::StrCat(item, " in one of ", other, " and ",
                                                       clause.name, " behind ", directive.name));
      }
      listed[item].push_back(clause.name);
    }
  }
  return absl::OkStatus();
}

}  // namespace taskrt
