#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/translator.h"

namespace taskrt {
namespace {

std::string Condition(const std::string& text) {
  const std::size_t colon = FindOutside(text, ':');
  if (colon == std::string::npos || FindOutside(text, '?') != std::string::npos) return text;
  return Trimmed(std::string_view(text).substr(colon + 1));
}

}  // namespace

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
absl::StatusOr<std::string> Translator::KernelText(const Directive& directive,
                                                   const std::string& name,
                                                   const std::string& function) {
  std::string kernel = absl::StrCat("ompc_kernel_or(\"", name, "\", ", function, ")");
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
  if (const Clause* const condition = directive.Find("if")) {
    kernel = absl::StrCat("(", Rewritten(Condition(condition->text)), ") ? ", kernel, " : NULL");
  }
  return kernel;
}

absl::Status Translator::Target(const Directive& directive) {
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
  if (absl::Status added = AddToLists(directive, lists); !added.ok()) return added;
  std::string arrays, fields, function, name;
  const auto call = CallAt(begin, *end);
  if (call.ok() && IsKernelCall(*call, directive)) {
    const auto variant = VariantOf(call->function, device == nullptr ? "" : device->text);
    if (!variant.ok()) return variant.status();
    name = *variant;
    const auto arguments = ArgumentsFor(name, *call, lists);
    if (!arguments.ok()) return arguments.status();
    function = absl::StrCat("ompc_call_", name);
    arrays = *arguments;
    fields = FieldsFor("args_count", "args", "ompc_args", call->arguments);
  } else {
    is_in_target_ = true;
    const auto uses = UsesOf(begin, *end);
    is_in_target_ = false;
    if (!uses.ok()) return uses.status();
    const auto captures = CapturesOf(directive, *uses);
    if (!captures.ok()) return captures.status();
    name = NameOf(begin, *end);
    function = "NULL";
    if (recorders_.empty()) {
      is_in_target_ = true;
      const auto outlined = Outlined(*captures, begin, *end, "");
      is_in_target_ = false;
      if (!outlined.ok()) return outlined.status();
      function = *outlined;
      absl::StrAppend(&name, " ", function);
    }
    const Arguments arguments = ArgumentsOf(*captures);
    arrays = absl::StrCat(ArrayOf("void *", "ompc_args", arguments.args),
                          ArrayOf("const size_t ", "ompc_copied", arguments.copied));
    fields = absl::StrCat(FieldsFor("args_count", "args", "ompc_args", arguments.args),
                          arguments.args.empty() ? "" : ", .copied = ompc_copied");
    for (const Capture& capture : *captures) {
      if (capture.sharing != Sharing::kTarget || capture.is_mapped) continue;
      const Variable& variable = capture.variable;
      lists.maps.push_back(absl::StrCat(
          "OMPC_IMPLIED_MAP(", variable.shown.empty() ? variable.name : variable.shown, ")"));
    }
  }
  const auto kernel = KernelText(directive, name, function);
  if (!kernel.ok()) return kernel.status();
  if (const Clause* const priority = directive.Find("priority")) {
    absl::StrAppend(&fields, ", .priority = (", Rewritten(priority->text), ")");
  }
  absl::StrAppend(&out_, " { ompc_begin(); ", arrays, ArrayOf("void *", "ompc_in", lists.in),
                  ArrayOf("void *", "ompc_out", lists.out),
                  ArrayOf("void *", "ompc_maps", lists.maps),
                  "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"", name,
                  "\", .function = ", function, ", .kernel = ", *kernel, fields,
                  FieldsFor("in_count", "in_data", "ompc_in", lists.in),
                  FieldsFor("out_count", "out_data", "ompc_out", lists.out),
                  FieldsFor("map_count", "maps", "ompc_maps", lists.maps), waits, "})); }");
  Skip(*end);
  return absl::OkStatus();
}

// "void *name[] = {...}; ", of all maps; empty: there are none.
absl::StatusOr<std::string> Translator::MapsOf(const Directive& directive,
                                               const std::string& name) {
  Lists lists;
  Directive maps{directive.name, {}};
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "map") maps.clauses.push_back(clause);
  }
  if (absl::Status added = AddToLists(maps, lists); !added.ok()) return added;
  return ArrayOf("void *", name, lists.maps);
}

absl::Status Translator::TargetData(const Directive& directive) {
  const auto maps = MapsOf(directive, "ompc_data");
  if (!maps.ok()) return maps.status();
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "map") continue;
    const auto list = ParseMap(clause);
    if (list->type == "release" || list->type == "delete") {
      return absl::InvalidArgumentError("to, from, tofrom or alloc in a map of target data");
    }
  }
  if (maps->empty()) return Around("ompc_begin();", "");
  const Clause* const condition = directive.Find("if");
  const std::string count = absl::StrCat(
      "const int ompc_count = ",
      condition == nullptr ? ""
                           : absl::StrCat("!(", Rewritten(Condition(condition->text)), ") ? 0 : "),
      "(int)(sizeof ompc_data / sizeof ompc_data[0]); ");
  return Around(absl::StrCat("ompc_begin(); ", *maps, count,
                             "ompc_require(ompc_data_begin(ompc_count, ompc_data));"),
                "ompc_require(ompc_data_end(ompc_count, ompc_data, 0));");
}

// target enter data, target exit data and target update: at once, after the tasks of `depend`.
absl::Status Translator::TargetDataAction(const Directive& directive) {
  Directive depends{directive.name, {}};
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "depend") depends.clauses.push_back(clause);
  }
  out_ += " {";
  if (!depends.clauses.empty()) {
    if (absl::Status waits = TaskWait(depends); !waits.ok()) return waits;
  }
  const Clause* const condition = directive.Find("if");
  out_ += " ompc_begin(); ";
  if (condition != nullptr) {
    absl::StrAppend(&out_, "if (", Rewritten(Condition(condition->text)), ") ");
  }
  out_ += "{ ";
  const bool is_update = directive.name == "target update";
  const bool is_enter = directive.name == "target enter data";
  for (const Clause& clause : directive.clauses) {
    const bool is_part = is_update && (clause.name == "to" || clause.name == "from");
    if (clause.name != "map" && !is_part) continue;
    Clause map = clause;
    if (is_part) map = {"map", absl::StrCat(clause.name, ": ", clause.text)};
    const auto list = ParseMap(map);
    if (!list.ok()) return list.status();
    const std::string& type = list->type;
    const bool enters = type == "in" || type == "alloc" || type == "inout";
    const bool exits = type == "out" || type == "release" || type == "delete" || type == "inout";
    if (!is_update && !(is_enter ? enters : exits)) {
      return absl::InvalidArgumentError(
          is_enter ? "to, tofrom or alloc in a map of target enter data"
                   : "from, tofrom, release or delete in a map of target exit data");
    }
    const auto array = MapsOf({directive.name, {map}}, "ompc_data");
    if (!array.ok()) return array.status();
    if (array->empty()) continue;
    const std::string count = "(int)(sizeof ompc_data / sizeof ompc_data[0]), ompc_data";
    absl::StrAppend(&out_, "{ ", *array, "ompc_require(",
                    is_update ? absl::StrCat("ompc_data_update(", count, ")")
                    : is_enter
                        ? absl::StrCat("ompc_data_begin(", count, ")")
                        : absl::StrCat("ompc_data_end(", count, type == "delete" ? ", 1)" : ", 0)"),
                    "); } ");
  }
  out_ += "} }";
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
