#include "taskrt/ompc/translate/regions/loops.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/privates.h"

namespace taskrt {
namespace {

using Schedule = LoopRegion::Schedule;

struct Scheduled {
  Schedule kind = Schedule::kStatic;
  std::string chunk = "0";
};
absl::StatusOr<Scheduled> ScheduleOf(const Directive& directive) {
  Scheduled all;
  const Clause* const clause = directive.Find("schedule");
  if (clause == nullptr) return all;
  std::string text = clause->text;
  if (const std::size_t colon = FindOutside(text, ':');
      colon != std::string::npos &&
      text.find("simd") + text.find("monotonic") != 2 * std::string::npos) {
    text = Trimmed(std::string_view(text).substr(colon + 1));
  }
  const std::size_t comma = text.find(',');
  const std::string kind = Trimmed(std::string_view(text).substr(0, comma));
  static const auto& kinds = *new std::map<std::string, Schedule>{{"static", Schedule::kStatic},
                                                                  {"dynamic", Schedule::kDynamic},
                                                                  {"guided", Schedule::kGuided},
                                                                  {"auto", Schedule::kAuto},
                                                                  {"runtime", Schedule::kRuntime}};
  const auto known = kinds.find(kind);
  if (known == kinds.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("static, dynamic, guided, auto or runtime in schedule, not ", kind));
  }
  all.kind = known->second;
  if (comma != std::string::npos) all.chunk = Trimmed(std::string_view(text).substr(comma + 1));
  return all;
}

// The loops' variables, as the member's own where no clause says so.
absl::Status AddLoops(Resolution& all, const ParsedConstruct& construct, LoopRegion& region) {
  Scope inner{construct.end, {}, {}};
  for (Loop loop : construct.loops) {
    const auto variable = LoopVariableOf(all, loop, construct.directive.name);
    if (!variable.ok()) return variable.status();
    // An inner loop's bounds see the variables of the outer ones.
    all.scopes.Push(inner);
    for (std::string* const text : {&loop.lower, &loop.upper, &loop.step}) {
      *text = all.scopes.Rewritten(*text);
    }
    all.scopes.Pop();
    inner.variables.push_back(*variable);
    region.loops.push_back({loop, *variable});
    auto& own = region.privates.own.variables;
    const bool is_private = std::any_of(
        own.begin(), own.end(), [&](const Variable& each) { return each.name == variable->name; });
    if (is_private) continue;
    own.push_back(*variable);
    PrivateVariable its;
    its.kind = PrivateVariable::Kind::kLoop;
    its.variable = *variable;
    region.privates.variables.emplace_back(its);
  }
  return absl::OkStatus();
}

// Whose the iterations are, as distribute and bind say.
void Bind(const ParsedConstruct& construct, std::size_t part, LoopRegion& region) {
  using Binding = LoopRegion::Binding;
  using Distributed = LoopRegion::Distributed;
  const std::vector<std::string>& parts = construct.directive.parts;
  if (parts[part] == "simd") region.binding = Binding::kAlone;
  if (std::find(parts.begin(), parts.end(), "distribute") != parts.end()) {
    region.distributed = parts[part] == "distribute" ? Distributed::kByTeams : Distributed::kInTeam;
    return;
  }
  if (parts[part] != "loop") return;
  // In any other construct it is the thread's.
  const std::string around = part > 0                 ? parts[part - 1]
                             : construct.nest.empty() ? ""
                                                      : construct.nest.back();
  const Clause* const bind = construct.directive.Find("bind");
  const bool is_bound = around.empty() || around == "teams" || around == "parallel";
  const std::string to = bind != nullptr ? bind->text : is_bound ? "teams" : "thread";
  if (to == "teams") region.binding = Binding::kBinds;
  if (to == "thread") region.binding = Binding::kAlone;
}

absl::StatusOr<ScanPhases> ScanOf(Resolution& all, const ParsedConstruct& construct,
                                  const Privates& scanned, const ResolveCode& resolve) {
  const ParsedScan& scan = *construct.scan;
  ScanPhases phases{scanned, scan.is_inclusive, {}, {}, "", "", ""};
  const auto resolved = ResolveInPrivates(all, scanned, [&]() -> absl::StatusOr<ResolvedCode> {
    auto before = resolve(scan.before);
    if (!before.ok()) return before;
    phases.before = *std::move(before);
    auto after = resolve(scan.after);
    if (!after.ok()) return after;
    phases.after = *std::move(after);
    return ResolvedCode();
  });
  if (!resolved.ok()) return resolved.status();
  const std::size_t body = construct.loops.back().body;
  phases.line_ends_before = LineEndsOf(all.source, body, scan.begin);
  phases.line_ends_scan = LineEndsOf(all.source, scan.directive, scan.behind);
  phases.line_ends_after = LineEndsOf(all.source, construct.end - 1, construct.end);
  return phases;
}

}  // namespace

bool RunsInOrder(const Directive& directive) {
  return std::any_of(directive.clauses.begin(), directive.clauses.end(), [](const Clause& each) {
    return each.name == "inscan" || each.name == "conditional" ||
           (each.name == "ordered" && !each.text.empty());
  });
}

absl::StatusOr<Variable> LoopVariableOf(Resolution& all, const Loop& loop,
                                        const std::string& directive) {
  const Variable* const found = all.scopes.FindDeclared(loop.variable);
  if (!loop.declares && found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("a declaration of ", loop.variable, " in this file, for ", directive));
  }
  Variable variable = loop.declares ? *loop.declares : *found;
  variable.shown.clear();
  variable.after = all.scopes.Rewritten(variable.after);
  variable.is_shared = variable.is_static = variable.is_global = variable.is_threadprivate = false;
  return variable;
}

absl::StatusOr<LoopRegion> LoopOf(Resolution& all, const ParsedConstruct& construct,
                                  std::size_t part, const ResolveCode& resolve) {
  const Directive& directive = construct.directive;
  const auto schedule = ScheduleOf(directive);
  if (!schedule.ok()) return schedule.status();
  LoopRegion region;
  auto privates = PrivatesOf(all, construct, part);
  if (!privates.ok()) return privates.status();
  region.privates = *std::move(privates);
  auto scanned = ScannedOf(all, construct);
  if (!scanned.ok()) return scanned.status();
  region.scanned = *std::move(scanned);
  if (absl::Status added = AddLoops(all, construct, region); !added.ok()) return added;
  region.is_in_order = RunsInOrder(directive);
  region.schedule = schedule->kind;
  if (!region.is_in_order) region.chunk = all.scopes.Rewritten(schedule->chunk);
  region.is_ordered = directive.Has("ordered") && !region.is_in_order;
  Bind(construct, part, region);
  const bool is_alone = region.binding == LoopRegion::Binding::kAlone ||
                        region.distributed == LoopRegion::Distributed::kByTeams;
  region.waits = directive.parts.size() == 1 && !directive.Has("nowait") && !is_alone;
  auto code = ResolveInPrivates(all, region.privates, [&]() -> absl::StatusOr<ResolvedCode> {
    all.scopes.Push({construct.end, {}, {}});
    if (!construct.scan) return resolve(construct.code);
    auto phases = ScanOf(all, construct, region.scanned, resolve);
    if (!phases.ok()) return phases.status();
    ResolvedCode its;
    its.Add(Region{*std::move(phases)});
    return its;
  });
  if (!code.ok()) return code.status();
  region.body = *std::move(code);
  const std::size_t body = construct.loops.back().body;
  region.line_ends_before = LineEndsOf(all.source, construct.at, body);
  region.line_ends_behind =
      construct.scan ? "" : LineEndsOf(all.source, construct.code_end, construct.end);
  return region;
}

}  // namespace taskrt
