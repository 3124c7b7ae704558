#include "taskrt/ompc/translate/regions/targets.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/assignments.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/regions/captures.h"
#include "taskrt/ompc/translate/regions/device_loops.h"
#include "taskrt/ompc/translate/regions/lists.h"

namespace taskrt {
namespace {

// Can its arguments be taken when the task is created? A scalar that a map names has the value
// then that it has when the task runs.
bool IsKernelCall(const Resolution& all, const Call& call, const Directive& directive) {
  const auto function = all.functions.find(call.function);
  if (function == all.functions.end() || directive.Has("private")) return false;
  std::set<std::string> named;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "map") continue;
    const auto map = ParseMap(clause);
    if (!map.ok()) continue;
    for (const ListItem& item : map->items) {
      if (!item.is_section) named.insert(item.base);
    }
  }
  const std::vector<Parameter>& parameters = function->second.parameters;
  for (std::size_t i = 0; i < std::min(parameters.size(), call.arguments.size()); ++i) {
    if (parameters[i].is_pointer) continue;
    for (const std::string& name : NamesIn(call.arguments[i])) {
      if (named.contains(name)) return false;
    }
  }
  return true;
}

absl::StatusOr<std::string> VariantOf(const Resolution& all, const std::string& function,
                                      const std::string& device) {
  const auto variants = all.variants.find(function);
  if (variants == all.variants.end()) return function;
  const auto& by_device = variants->second;
  if (device.empty() && by_device.size() == 1) return by_device.begin()->second;
  const auto found = by_device.find(device);
  if (found != by_device.end()) return found->second;
  return absl::InvalidArgumentError(
      device.empty() ? absl::StrCat("device(...), as there are several variants of ", function)
                     : absl::StrCat("a declare variant of ", function, " for device ", device));
}

// The arguments of the call of `function`, and the blocks that its pointers point into.
absl::Status AddCall(Resolution& all, const std::string& function, const Call& call,
                     TargetRegion& region) {
  const auto found = all.functions.find(function);
  if (found == all.functions.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a declaration of ", function, " in this file, which says how its arguments are passed"));
  }
  const std::vector<Parameter>& parameters = found->second.parameters;
  if (!found->second.is_callable) {
    return absl::InvalidArgumentError(
        absl::StrCat("pointers and scalars as the parameters of ", function));
  }
  if (parameters.size() != call.arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat(parameters.size(), " arguments for ", function,
                                                   ", not ", call.arguments.size()));
  }
  all.called.insert(function);
  region.called = region.name = function;
  region.call.emplace();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    region.call->push_back({parameters[i], all.scopes.Rewritten(call.arguments[i])});
    if (!parameters[i].is_pointer) continue;
    MapElement map;
    map.kind = MapElement::Kind::kArgument;
    map.number = i;
    region.lists.maps.push_back(map);
  }
  for (const std::string& argument : call.arguments) all.watch.NoteValues(all.scopes, argument);
  return absl::OkStatus();
}

// Variables that an inner part of the construct gives a value are mapped both ways.
absl::Status AddReduced(Resolution& all, const Directive& directive, Lists& lists) {
  std::set<std::string> mapped;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "map") continue;
    const auto map = ParseMap(clause);
    if (!map.ok()) return map.status();
    for (const ListItem& item : map->items) mapped.insert(item.base);
  }
  for (const Clause& clause : directive.clauses) {
    static constexpr std::string_view kChanging[] = {"reduction", "inscan", "lastprivate",
                                                     "conditional", "linear"};
    if (std::find(std::begin(kChanging), std::end(kChanging), clause.name) == std::end(kChanging))
      continue;
    const std::size_t colon = FindOutside(clause.text, ':');
    const bool is_list =
        colon == std::string::npos || clause.name == "lastprivate" || clause.name == "conditional";
    const auto items =
        ParseItems({clause.name, is_list                   ? clause.text
                                 : clause.name == "linear" ? clause.text.substr(0, colon)
                                                           : clause.text.substr(colon + 1)});
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      if (!mapped.insert(item.base).second) continue;
      const auto written = WrittenItem(all, item, Pieces::kOne);
      if (!written.ok()) return written.status();
      MapElement map;
      map.item = *written;
      map.type = "inout";
      lists.maps.push_back(map);
    }
  }
  return absl::OkStatus();
}

// Any other statement: a function with the variables that it uses.
absl::Status AddBlock(Resolution& all, const ParsedConstruct& construct, const ResolveBody& body,
                      TargetRegion& region) {
  const Directive& directive = construct.directive;
  const auto in_target = [&](const auto& resolve) {
    const bool outer = std::exchange(all.is_in_target, true);
    auto result = resolve();
    all.is_in_target = outer;
    return result;
  };
  const auto uses = in_target([&] { return UsesOf(all, construct.end, body); });
  if (!uses.ok()) return uses.status();
  const auto captures = CapturesOf(all, directive, *uses, "target");
  if (!captures.ok()) return captures.status();
  region.captures = *captures;
  region.name = TaskNameOf(all.source, construct.at, construct.end);
  if (!all.scopes.is_searching() && !directive.Has("work_item")) {
    region.loop = DeviceLoopOf(all, construct, *captures);
  }
  auto function =
      in_target([&] { return Outlined(all, *captures, construct.at, construct.end, body); });
  if (!function.ok()) return function.status();
  region.function = *std::move(function);
  for (const Capture& capture : *captures) {
    all.watch.NotePointer(all.scopes, capture.variable.name);
  }
  if (absl::Status added = AddReduced(all, directive, region.lists); !added.ok()) return added;
  for (const Capture& capture : *captures) {
    if (capture.sharing != Sharing::kTarget || capture.is_mapped) continue;
    MapElement map;
    map.kind = MapElement::Kind::kImplied;
    map.shown = ShownOf(capture.variable);
    map.default_map = capture.default_map;
    region.lists.maps.push_back(map);
  }
  return absl::OkStatus();
}

// The paper's num_units and work_item.
absl::Status AddSizes(Resolution& all, const Directive& directive, TargetRegion& region) {
  const Clause* const units = directive.Find("num_units");
  const Clause* const items = directive.Find("work_item");
  if (items != nullptr) region.sizes = SplitAtCommas(items->text);
  if ((items != nullptr && region.sizes.empty()) || region.sizes.size() > 3) {
    return absl::InvalidArgumentError("one to three numbers in work_item");
  }
  for (std::string& size : region.sizes) size = all.scopes.Rewritten(size);
  if (units != nullptr) region.units = all.scopes.Rewritten(units->text);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TargetRegion> TargetOf(Resolution& all, const ParsedConstruct& construct,
                                      std::size_t part, const ResolveBody& body) {
  const Directive& directive = construct.directive;
  TargetRegion region;
  const Clause* const nowait = directive.Find("nowait");
  region.waits = nowait == nullptr && !directive.Has("async");
  if (nowait != nullptr) region.nowait = all.scopes.Rewritten(nowait->text);
  const auto call = CallAt(all.source, construct.at, construct.end);
  const bool is_combined = part + 1 < directive.parts.size();
  const bool is_kernel = !is_combined && call && IsKernelCall(all, *call, directive);
  const std::string statement = all.source.Text(construct.at, construct.end);
  auto lists = ListsOf(all, directive,
                       is_kernel ? Changed() : Changed{AssignedIn(statement), PassedIn(statement)});
  if (!lists.ok()) return lists.status();
  region.lists = *std::move(lists);
  absl::Status added;
  if (is_kernel) {
    const Clause* const device = directive.Find("device");
    const auto variant = VariantOf(all, call->function, device == nullptr ? "" : device->text);
    if (!variant.ok()) return variant.status();
    added = AddCall(all, *variant, *call, region);
  } else {
    added = AddBlock(all, construct, body, region);
  }
  if (!added.ok()) return added;
  if (const Clause* const replayable = directive.Find("replayable")) {
    region.replayable = all.scopes.Rewritten(replayable->text);
  }
  if (absl::Status sized = AddSizes(all, directive, region); !sized.ok()) return sized;
  region.is_on_host = directive.Has("is_device_ptr") || directive.Has("has_device_addr");
  if (!region.is_on_host) region.condition = ConditionOf(all, directive, "target");
  if (const Clause* const priority = directive.Find("priority")) {
    region.priority = all.scopes.Rewritten(priority->text);
  }
  region.line_ends = LineEndsOf(all.source, construct.at, construct.end);
  return region;
}

}  // namespace taskrt
