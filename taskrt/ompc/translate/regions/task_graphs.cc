#include "taskrt/ompc/translate/regions/task_graphs.h"

#include <set>
#include <utility>

#include "taskrt/ompc/translate/regions/captures.h"
#include "taskrt/ompc/translate/regions/teams.h"

namespace taskrt {
namespace {

// The variables whose places a replay gives the tasks.
absl::StatusOr<std::vector<Variable>> EnvironmentOf(Resolution& all, const Directive& directive,
                                                    const std::set<std::string>& uses,
                                                    const Watch::Watched& watched) {
  const auto captures = CapturesOf(all, {directive.name, directive.parts, {}}, uses, "taskgraph");
  if (!captures.ok()) return captures.status();
  std::vector<Variable> environment;
  for (const Capture& capture : *captures) environment.push_back(capture.variable);
  std::set<std::string> of_file = watched.copied;
  of_file.insert(watched.pointers.begin(), watched.pointers.end());
  for (const std::string& name : of_file) {
    const Variable* const global = all.scopes.Find(name);
    if (global != nullptr && global->is_global) environment.push_back(*global);
  }
  return environment;
}

}  // namespace

absl::StatusOr<TaskGraphRegion> TaskGraphOf(Resolution& all, const ParsedConstruct& construct,
                                            const ResolveBody& body) {
  using Watched = TaskGraphRegion::Watched;
  const Directive& directive = construct.directive;
  if (all.is_in_target) {
    return absl::InvalidArgumentError(
        "no taskgraph inside of a target, whose statement runs on a device");
  }
  Watch outer = all.watch.Begin(all.scopes);
  const auto uses = UsesOf(all, construct.end, body);
  const Watch::Watched watched = std::exchange(all.watch, std::move(outer)).watched();
  if (!uses.ok()) return uses.status();
  const auto environment = EnvironmentOf(all, directive, *uses, watched);
  if (!environment.ok()) return environment.status();
  TaskGraphRegion region;
  for (const Variable& variable : *environment) {
    if (variable.is_threadprivate) continue;
    region.variables.push_back({ShownOf(variable), variable.is_parameter && variable.shown.empty(),
                                watched.values.contains(variable.name)     ? Watched::kValue
                                : watched.pointers.contains(variable.name) ? Watched::kPointer
                                                                           : Watched::kNot});
  }
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "graph_id") region.id = all.scopes.Rewritten(clause.text);
    if (clause.name == "graph_reset") {
      region.is_reset = true;
      region.reset = all.scopes.Rewritten(clause.text);
    }
  }
  region.condition = ConditionOf(all, directive, "taskgraph");
  region.reads_memory = watched.reads_memory;
  region.has_group = !directive.Has("nogroup");
  if (!all.scopes.is_searching()) ++all.graphs;
  region.number = all.graphs;
  auto code = InBlock(all, body);
  if (!code.ok()) return code.status();
  region.body = *std::move(code);
  return region;
}

}  // namespace taskrt
