#include "taskrt/ompc/translate/regions/target_data.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/regions/lists.h"
#include "taskrt/ompc/translate/regions/teams.h"

namespace taskrt {
namespace {

using Kind = TargetDataAction::Kind;

// The action of a map of this type. Errors: InvalidArgument, as the directive has no such map.
absl::StatusOr<Kind> KindOf(const std::string& directive, const std::string& type) {
  if (directive == "target update") return Kind::kUpdate;
  const bool is_enter = directive == "target enter data";
  const bool enters = type == "in" || type == "alloc" || type == "inout";
  const bool exits = type == "out" || type == "release" || type == "delete" || type == "inout";
  if (is_enter ? !enters : !exits) {
    return absl::InvalidArgumentError(
        is_enter ? "to, tofrom or alloc in a map of target enter data"
                 : "from, tofrom, release or delete in a map of target exit data");
  }
  return is_enter ? Kind::kBegin : type == "delete" ? Kind::kDelete : Kind::kEnd;
}

}  // namespace

absl::StatusOr<TargetDataRegion> TargetDataOf(Resolution& all, const ParsedConstruct& construct,
                                              const ResolveBody& body) {
  const Directive& directive = construct.directive;
  TargetDataRegion region;
  auto maps = ListsOf(all, directive, "map");
  if (!maps.ok()) return maps.status();
  region.lists = *std::move(maps);
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "map") continue;
    const auto list = ParseMap(clause);
    if (list->type == "release" || list->type == "delete") {
      return absl::InvalidArgumentError("to, from, tofrom or alloc in a map of target data");
    }
  }
  if (!region.lists.maps.empty()) {
    region.condition = ConditionOf(all, directive, directive.name);
  }
  auto code = InBlock(all, body);
  if (!code.ok()) return code.status();
  region.body = *std::move(code);
  return region;
}

absl::StatusOr<TargetDataActions> TargetDataActionsOf(Resolution& all,
                                                      const ParsedConstruct& construct) {
  const Directive& directive = construct.directive;
  TargetDataActions actions;
  if (directive.Has("depend")) {
    auto depends = ListsOf(all, directive, "depend");
    if (!depends.ok()) return depends.status();
    actions.depends = *std::move(depends);
  }
  actions.condition = ConditionOf(all, directive, directive.name);
  const bool is_update = directive.name == "target update";
  for (const Clause& clause : directive.clauses) {
    const bool is_part = is_update && (clause.name == "to" || clause.name == "from");
    if (clause.name != "map" && !is_part) continue;
    const Clause map =
        is_part ? Clause{"map", absl::StrCat(clause.name, ": ", clause.text)} : clause;
    const auto list = ParseMap(map);
    if (!list.ok()) return list.status();
    const auto kind = KindOf(directive.name, list->type);
    if (!kind.ok()) return kind.status();
    auto lists = ListsOf(all, {directive.name, directive.parts, {map}});
    if (!lists.ok()) return lists.status();
    if (!lists->maps.empty()) actions.actions.push_back({*kind, *std::move(lists)});
  }
  return actions;
}

}  // namespace taskrt
