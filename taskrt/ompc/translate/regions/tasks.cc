#include "taskrt/ompc/translate/regions/tasks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/regions/captures.h"
#include "taskrt/ompc/translate/regions/lists.h"
#include "taskrt/ompc/translate/regions/loops.h"
#include "taskrt/ompc/translate/regions/privates.h"

namespace taskrt {
namespace {

TaskClauses ClausesOf(Resolution& all, const Directive& directive) {
  using Kind = TaskClauses::Field::Kind;
  TaskClauses clauses;
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "priority" || clause.name == "final") {
      clauses.fields.push_back({clause.name == "final" ? Kind::kFinal : Kind::kPriority,
                                all.scopes.Rewritten(clause.text)});
    }
  }
  if (const Clause* const replayable = directive.Find("replayable")) {
    clauses.replayable = all.scopes.Rewritten(replayable->text);
  }
  clauses.condition = ConditionOf(all, directive, directive.parts.back());
  return clauses;
}

// A taskloop's firstprivate variable may not be one that it brings back.
absl::Status CheckFirstPrivate(const Directive& directive) {
  for (const Clause& clause : directive.clauses) {
    const auto items = clause.name == "firstprivate" ? ParseItems(clause)
                                                     : absl::StatusOr<std::vector<ListItem>>();
    if (!items.ok()) continue;
    for (const ListItem& item : *items) {
      if (!HasItem(directive, "lastprivate", item.base)) continue;
      return absl::InvalidArgumentError(absl::StrCat("no firstprivate of ", item.base,
                                                     " behind taskloop, which lastprivate has"));
    }
  }
  return absl::OkStatus();
}

// The reductions of a taskloop's task, and the variables that its last one brings back.
absl::StatusOr<Privates> PrivatesOfPart(Resolution& all, const ParsedConstruct& construct) {
  auto privates = ReductionsOfTask(all, construct);
  if (!privates.ok()) return privates;
  for (const Clause& clause : construct.directive.clauses) {
    if (clause.name != "lastprivate") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      PrivateVariable its;
      its.kind = PrivateVariable::Kind::kLastPrivate;
      for (std::size_t i = 0; i < construct.loops.size(); ++i) {
        if (construct.loops[i].variable == item.base) its.loop = i;
      }
      const absl::Status added = AddPrivate(all, item, std::move(its), *privates);
      if (!added.ok()) return added;
    }
  }
  return privates;
}

// The loops, and the variables that the code in a task sees of them.
struct LoopScopes {
  Scope numbers, variables;
};
absl::StatusOr<LoopScopes> AddLoops(Resolution& all, const ParsedConstruct& construct,
                                    std::vector<TaskLoop>& loops) {
  LoopScopes scopes{{construct.end, {}, {}}, {construct.end, {}, {}}};
  const auto number = [&](const std::string& name) {
    Variable its;
    its.name = name;
    its.specifiers = "long";
    scopes.numbers.variables.push_back(its);
  };
  for (const Loop& each : construct.loops) {
    const auto variable = LoopVariableOf(all, each, "taskloop");
    if (!variable.ok()) return variable.status();
    const std::string n = std::to_string(loops.size());
    // A variable that is brought back is declared by its clause.
    if (!HasItem(construct.directive, "lastprivate", variable->name)) {
      scopes.variables.variables.push_back(*variable);
    }
    Variable first = *variable;
    first.name = absl::StrCat("ompc_lower", n);
    scopes.numbers.variables.push_back(first);
    number(absl::StrCat("ompc_step", n));
    number(absl::StrCat("ompc_count", n));
    TaskLoop loop{each, *variable, each.declares ? "" : all.scopes.Rewritten(each.variable)};
    for (std::string* const text : {&loop.loop.lower, &loop.loop.upper, &loop.loop.step}) {
      *text = all.scopes.Rewritten(*text);
    }
    loops.push_back(std::move(loop));
  }
  number("ompc_first");
  number("ompc_last");
  return scopes;
}

absl::Status AddIterations(Resolution& all, const ParsedConstruct& construct,
                           TaskLoopRegion& region) {
  for (const TaskIteration& each : construct.iterations) {
    auto lists = ListsOf(all, each.directive);
    if (!lists.ok()) return all.source.At(each.begin, lists.status());
    region.iterations.push_back(
        {ConditionOf(all, each.directive, "task_iteration"), *std::move(lists)});
  }
  return absl::OkStatus();
}

// grainsize and num_tasks, with "strict:" before or not.
std::string NumberOf(Resolution& all, const Directive& directive, std::string_view name) {
  const Clause* const clause = directive.Find(name);
  if (clause == nullptr) return "0";
  const std::size_t colon = FindOutside(clause->text, ':');
  const bool is_strict = colon != std::string::npos && clause->text.starts_with("strict");
  return all.scopes.Rewritten(is_strict ? clause->text.substr(colon + 1) : clause->text);
}

}  // namespace

absl::StatusOr<TaskRegion> TaskOf(Resolution& all, const ParsedConstruct& construct,
                                  const ResolveBody& body) {
  const Directive& directive = construct.directive;
  const ResolveBody reduces = [&]() -> absl::StatusOr<ResolvedCode> {
    const auto reductions = ReductionsOfTask(all, construct);
    if (!reductions.ok()) return reductions.status();
    return ResolveWithPrivates(all, *reductions, body);
  };
  TaskRegion region;
  if (const Clause* const detach = directive.Find("detach")) {
    region.event = all.scopes.Rewritten(detach->text);
  }
  region.has_depend = directive.Has("depend");
  const auto uses = UsesOf(all, construct.end, reduces);
  if (!uses.ok()) return uses.status();
  auto captures = CapturesOf(all, directive, *uses, "task");
  if (!captures.ok()) return captures.status();
  auto lists = ListsOf(all, directive);
  if (!lists.ok()) return lists.status();
  region.clauses = ClausesOf(all, directive);
  auto function = Outlined(all, *captures, construct.at, construct.end, reduces);
  if (!function.ok()) return function.status();
  region.captures = *std::move(captures);
  region.lists = *std::move(lists);
  region.function = *std::move(function);
  region.name = TaskNameOf(all.source, construct.at, construct.end);
  region.line_ends = LineEndsOf(all.source, construct.at, construct.end);
  return region;
}

absl::StatusOr<TaskLoopRegion> TaskLoopOf(Resolution& all, const ParsedConstruct& construct,
                                          const ResolveBody& body) {
  const Directive& directive = construct.directive;
  if (std::any_of(construct.loops.begin(), construct.loops.end(),
                  [](const Loop& each) { return each.depends; })) {
    return absl::InvalidArgumentError("loops with the same bounds in all iterations of taskloop");
  }
  TaskLoopRegion region;
  region.grainsize = NumberOf(all, directive, "grainsize");
  region.num_tasks = NumberOf(all, directive, "num_tasks");
  region.clauses = ClausesOf(all, directive);
  region.has_group = !directive.Has("nogroup");
  if (absl::Status checked = CheckFirstPrivate(directive); !checked.ok()) return checked;
  const auto scopes = AddLoops(all, construct, region.loops);
  if (!scopes.ok()) return scopes.status();
  all.scopes.Push(scopes->numbers);
  all.scopes.Push(scopes->variables);
  if (absl::Status added = AddIterations(all, construct, region); !added.ok()) return added;
  const ResolveBody part = [&]() -> absl::StatusOr<ResolvedCode> {
    auto privates = PrivatesOfPart(all, construct);
    if (!privates.ok()) return privates.status();
    auto code = privates->empty() ? body() : ResolveInPrivates(all, *privates, body);
    if (!code.ok()) return code;
    ResolvedCode its;
    its.Add(Region{TaskLoopPart{region.loops, *std::move(privates), *std::move(code)}});
    return its;
  };
  const std::size_t begin = construct.loops.back().body;
  auto uses = UsesOf(all, construct.end, part);
  all.scopes.Pop();
  if (!uses.ok()) return uses.status();
  std::string names;
  for (const Variable& each : scopes->variables.variables) uses->erase(each.name);
  for (const Variable& each : scopes->numbers.variables) {
    uses->insert(each.name);
    absl::StrAppend(&names, names.empty() ? "" : ", ", each.name);
  }
  Directive with_numbers = directive;
  with_numbers.clauses.push_back({"firstprivate", names});
  auto captures = CapturesOf(all, with_numbers, *uses, "taskloop");
  if (!captures.ok()) return captures.status();
  region.captures = *captures;
  for (const Variable& each : scopes->variables.variables) {
    captures->push_back({each, Sharing::kPrivate});
  }
  auto function = Outlined(all, *captures, begin, construct.end, part);
  all.scopes.Pop();
  if (!function.ok()) return function.status();
  region.function = *std::move(function);
  region.name = TaskNameOf(all.source, begin, construct.end);
  region.line_ends = LineEndsOf(all.source, construct.at, construct.end);
  return region;
}

}  // namespace taskrt
