#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/c/assignments.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {
// "f(a, b);" or "{ f(a, b); }"
absl::StatusOr<Call> Translator::CallAt(std::size_t begin, std::size_t end) const {
  std::size_t at = source_.AfterSpace(begin);
  const std::string_view text = source_.text();
  const auto none = absl::NotFoundError("no call");
  const bool is_block = text[at] == '{';
  const std::size_t start = is_block ? source_.AfterSpace(at + 1) : at;
  Call call{source_.WordAt(start), {}};
  at = source_.AfterSpace(source_.AfterWord(start));
  if (call.function.empty() || at >= end || text[at] != '(') return none;
  if (call.function == "for" || call.function == "while" || call.function == "if" ||
      call.function == "switch" || call.function == "sizeof") {
    return none;
  }
  const auto after = source_.AfterBrackets(at);
  if (!after.ok()) return after.status();
  call.arguments = SplitAtCommas(text.substr(at + 1, *after - at - 2));
  at = source_.AfterSpace(*after);
  if (text[at] != ';') return none;
  at = is_block ? source_.AfterSpace(at + 1) + 1 : at + 1;
  if (at != end) return none;
  return call;
}

// Can its arguments be taken when the task is created? A scalar that a map names has the value
// then that it has when the task runs.
bool Translator::IsKernelCall(const Call& call, const Directive& directive) const {
  const auto function = functions_.find(call.function);
  if (function == functions_.end() || directive.Has("private")) return false;
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

// What the call of `function` needs: its arguments in an array; what pointers may point into.
absl::StatusOr<std::string> Translator::ArgumentsFor(const std::string& function, const Call& call,
                                                     Lists& lists) {
  const auto found = functions_.find(function);
  if (found == functions_.end()) {
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
  called_.insert(function);
  if (parameters.empty()) return std::string();
  std::string text = absl::StrCat("void *ompc_args[", parameters.size(), "] = {0}; ");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string argument = Rewritten(call.arguments[i]);
    if (parameters[i].is_pointer) {
      absl::StrAppend(&text, "ompc_args[", i, "] = (void *)(", argument, "); ");
      lists.maps.push_back(absl::StrCat("OMPC_MAP_PRESENT(ompc_args[", i, "])"));
    } else {
      absl::StrAppend(&text, "OMPC_PUT(ompc_args[", i, "], ", parameters[i].type, ", ", argument,
                      "); ");
    }
  }
  return text;
}

absl::StatusOr<std::string> Translator::VariantOf(const std::string& function,
                                                  const std::string& device) const {
  const auto variants = variants_.find(function);
  if (variants == variants_.end()) return function;
  const auto& by_device = variants->second;
  if (device.empty() && by_device.size() == 1) return by_device.begin()->second;
  const auto found = by_device.find(device);
  if (found != by_device.end()) return found->second;
  return absl::InvalidArgumentError(
      device.empty() ? absl::StrCat("device(...), as there are several variants of ", function)
                     : absl::StrCat("a declare variant of ", function, " for device ", device));
}

// The paper's num_units and work_item change the kernel.
absl::StatusOr<std::string> Translator::KernelText(const Directive& directive, std::string kernel) {
  const Clause* const units = directive.Find("num_units");
  const Clause* const items = directive.Find("work_item");
  if (units != nullptr || items != nullptr) {
    std::vector<std::string> sizes;
    if (items != nullptr) sizes = SplitAtCommas(items->text);
    if ((items != nullptr && sizes.empty()) || sizes.size() > 3) {
      return absl::InvalidArgumentError("one to three numbers in work_item");
    }
    sizes.resize(3, "0");
    for (std::string& size : sizes) size = Rewritten(size);
    kernel = absl::StrCat("ompc_kernel_with(", kernel, ", ",
                          units == nullptr ? "0" : Rewritten(units->text), ", ",
                          absl::StrJoin(sizes, ", "), ")");
  }
  // Memory of a device is the host's here.
  if (directive.Has("is_device_ptr") || directive.Has("has_device_addr"))
    return std::string("NULL");
  const auto condition = ConditionOf(directive, "target");
  if (!condition.ok()) return condition.status();
  return condition->empty() ? kernel : absl::StrCat("(", *condition, ") ? ", kernel, " : NULL");
}

// Variables that an inner part of the construct gives a value are mapped both ways.
absl::Status Translator::AddReduced(const Directive& directive, Lists& lists) {
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
      const auto written = WrittenItem(item, Pieces::kOne);
      if (!written.ok()) return written.status();
      lists.maps.push_back(MapOf(*written, "inout"));
    }
  }
  return absl::OkStatus();
}

absl::Status Translator::Target(const Directive& directive, std::size_t part) {
  const std::size_t begin = at_;
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  const Clause* const device = directive.Find("device");
  const Clause* const nowait = directive.Find("nowait");
  std::string waits;
  if (nowait == nullptr && !directive.Has("async")) waits = ", .is_undeferred = 1";
  if (nowait != nullptr && !nowait->text.empty()) {
    waits = absl::StrCat(", .is_undeferred = !(", Rewritten(nowait->text), ")");
  }
  Lists lists;
  const auto call = CallAt(begin, *end);
  const bool is_combined = part + 1 < directive.parts.size();
  const bool is_kernel = !is_combined && call.ok() && IsKernelCall(*call, directive);
  if (!is_kernel) {
    assigned_ = AssignedIn(source_.Text(begin, *end));
    passed_ = PassedIn(source_.Text(begin, *end));
  }
  if (absl::Status added = AddToLists(directive, lists); !added.ok()) return added;
  assigned_.clear();
  passed_.clear();
  std::string arrays, fields, function, name;
  std::optional<DeviceLoop> loop;
  const Body body = [&] { return Part(directive, part + 1); };
  if (is_kernel) {
    const auto variant = VariantOf(call->function, device == nullptr ? "" : device->text);
    if (!variant.ok()) return variant.status();
    name = *variant;
    const auto arguments = ArgumentsFor(name, *call, lists);
    if (!arguments.ok()) return arguments.status();
    for (const std::string& argument : call->arguments) WatchValues(argument);
    function = absl::StrCat("ompc_call_", name);
    arrays = *arguments;
    fields = FieldsFor("args_count", "args", "ompc_args", call->arguments);
  } else {
    is_in_target_ = true;
    const auto uses = UsesOf(begin, *end, body);
    is_in_target_ = false;
    if (!uses.ok()) return uses.status();
    const auto captures = CapturesOf(directive, *uses, "target");
    if (!captures.ok()) return captures.status();
    name = NameOf(begin, *end);
    function = "NULL";
    if (recorders_.empty()) {
      if (!directive.Has("work_item")) loop = DeviceLoopOf(directive, *captures, begin);
      is_in_target_ = true;
      const auto outlined = Outlined(*captures, begin, *end, "", body);
      is_in_target_ = false;
      if (!outlined.ok()) return outlined.status();
      function = *outlined;
      absl::StrAppend(&name, " ", function);
    }
    const Arguments arguments = ArgumentsOf(*captures);
    arrays = absl::StrCat(ArrayOf("void *", "ompc_args", arguments.args),
                          ArrayOf("const size_t ", "ompc_copied", arguments.copied));
    fields = absl::StrCat(FieldsFor("args_count", "args", "ompc_args", arguments.args),
                          arguments.args.empty() ? "" : ", .copied = ompc_copied",
                          SavedField(arguments));
    for (const Capture& capture : *captures) WatchPointer(capture.variable.name);
    if (absl::Status added = AddReduced(directive, lists); !added.ok()) return added;
    for (const Capture& capture : *captures) {
      if (capture.sharing != Sharing::kTarget || capture.is_mapped) continue;
      lists.maps.push_back(
          absl::StrCat(capture.default_map.empty() ? "OMPC_IMPLIED_MAP(" : "OMPC_IMPLIED_MAP_AS(",
                       ShownOf(capture.variable), capture.default_map, ")"));
    }
  }
  absl::StrAppend(&fields, OnceField(directive));
  const auto kernel = KernelText(directive, KernelOf(name, function, loop));
  if (!kernel.ok()) return kernel.status();
  if (const Clause* const priority = directive.Find("priority")) {
    absl::StrAppend(&fields, ", .priority = (", Rewritten(priority->text), ")");
  }
  absl::StrAppend(&out_, " { ompc_begin(); ", arrays, ListArrays(lists),
                  ArrayOf("void *", "ompc_maps", lists.maps),
                  "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"", name,
                  "\", .function = ", function, ", .kernel = ", *kernel, fields, ListFields(lists),
                  FieldsFor("map_count", "maps", "ompc_maps", lists.maps), waits, "}));",
                  ListsEnd(lists), " }");
  Skip(*end);
  return absl::OkStatus();
}

// The function that a kernel of it runs.
std::string Translator::CallOf(const std::string& function) const {
  const std::vector<Parameter>& parameters = functions_.at(function).parameters;
  std::string text = absl::StrCat("static void ompc_call_", function, "(void **args) {\n");
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].is_pointer) {
      arguments.push_back(absl::StrCat("args[", i, "]"));
      continue;
    }
    arguments.push_back(absl::StrCat("arg", i));
    absl::StrAppend(&text, "  OMPC_GET(", parameters[i].type, ", arg", i, ", args[", i, "]);\n");
  }
  if (parameters.empty()) text += "  (void)args;\n";
  return absl::StrCat(text, "  ", function, "(", absl::StrJoin(arguments, ", "), ");\n}\n");
}

}  // namespace taskrt
