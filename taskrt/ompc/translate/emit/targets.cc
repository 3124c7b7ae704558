#include "taskrt/ompc/translate/emit/targets.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/device/device_text.h"
#include "taskrt/ompc/translate/emit/arrays.h"
#include "taskrt/ompc/translate/emit/functions.h"
#include "taskrt/ompc/translate/emit/lists.h"
#include "taskrt/ompc/translate/emit/tasks.h"

namespace taskrt {
namespace {

// As C's string.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

// The expression of a kernel that is `function`, and OpenCL's text where the loop has one.
std::string KernelOf(const std::string& name, const std::string& function,
                     const std::optional<DeviceLoop>& loop) {
  const auto text = loop ? DeviceTextOf(*loop) : std::nullopt;
  if (!text) return absl::StrCat("ompc_kernel_or(\"", name, "\", ", function, ")");
  return absl::StrCat(
      "ompc_kernel_of_loop(&(const struct ompc_kernel){.name = \"", name,
      "\", .function = ", function,
      ", .opencl_function = \"ompc_loop\", .opencl_source = ", Quoted(text->source),
      ", .opencl_build_options = OMPC_LOOP_OPTIONS, .opencl_global = {OMPC_LOOP_ITEMS}",
      text->adds_in_groups ? absl::StrCat(", .opencl_local = {", kDeviceGroup, "}") : "",
      text->scalars.empty() ? ""
                            : absl::StrCat(", .scalars_count = ", text->scalars.size(),
                                           ", .scalar_bytes = (const size_t[]){",
                                           absl::StrJoin(text->scalars, ", "), "}"),
      "}, ", text->blocks, ")");
}

// The kernel as the clauses change it.
std::string KernelOf(const TargetRegion& target, const std::string& name,
                     const std::string& function) {
  // Memory of a device is the host's here.
  if (target.is_on_host) return "NULL";
  std::string kernel = KernelOf(name, function, target.loop);
  if (!target.units.empty() || !target.sizes.empty()) {
    std::vector<std::string> sizes = target.sizes;
    sizes.resize(3, "0");
    kernel =
        absl::StrCat("ompc_kernel_with(", kernel, ", ", target.units.empty() ? "0" : target.units,
                     ", ", absl::StrJoin(sizes, ", "), ")");
  }
  if (target.condition.empty()) return kernel;
  return absl::StrCat("(", target.condition, ") ? ", kernel, " : NULL");
}

// A call's arguments in an array.
std::string ArgumentsText(const std::vector<TargetRegion::CallArgument>& arguments) {
  if (arguments.empty()) return "";
  std::string text = absl::StrCat("void *ompc_args[", arguments.size(), "] = {0}; ");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& [parameter, expression] = arguments[i];
    if (parameter.is_pointer) {
      absl::StrAppend(&text, "ompc_args[", i, "] = (void *)(", expression, "); ");
    } else {
      absl::StrAppend(&text, "OMPC_PUT(ompc_args[", i, "], ", parameter.type, ", ", expression,
                      "); ");
    }
  }
  return text;
}

}  // namespace

std::string TextOf(const TargetRegion& target) {
  std::string name = target.name, function, arrays, fields;
  if (target.call) {
    function = absl::StrCat("ompc_call_", target.called);
    arrays = ArgumentsText(*target.call);
    fields = FieldsFor("args_count", "args", "ompc_args", target.call->size());
  } else {
    const Arguments arguments = ArgumentsOf(target.captures);
    function = FunctionName(target.function);
    absl::StrAppend(&name, " ", function);
    arrays = ArgumentArrays(arguments);
    fields = ArgumentFields(arguments);
  }
  if (!target.replayable.empty()) {
    absl::StrAppend(&fields, ", .is_once = !(", target.replayable, ")");
  }
  const std::string kernel = KernelOf(target, name, function);
  if (!target.priority.empty()) absl::StrAppend(&fields, ", .priority = (", target.priority, ")");
  const DependText lists = DependTextOf(target.lists);
  const std::string waits = target.waits ? ", .is_undeferred = 1"
                            : target.nowait.empty()
                                ? ""
                                : absl::StrCat(", .is_undeferred = !(", target.nowait, ")");
  return absl::StrCat(
      " { ompc_begin(); ", arrays, ListArrays(lists), MapArray(target.lists, "ompc_maps"),
      "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"", name,
      "\", .function = ", function, ", .kernel = ", kernel, fields, ListFields(lists),
      FieldsFor("map_count", "maps", "ompc_maps", target.lists.maps.size()), waits, "}));",
      ListsEnd(lists), " }", target.line_ends);
}

std::string CallOf(const std::string& name, const Function& function) {
  const std::vector<Parameter>& parameters = function.parameters;
  std::string text = absl::StrCat("static void ompc_call_", name, "(void **args) {\n");
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
  return absl::StrCat(text, "  ", name, "(", absl::StrJoin(arguments, ", "), ");\n}\n");
}

std::string TextOf(const TargetDataRegion& data, const std::string& body) {
  const std::string maps = MapArray(data.lists, "ompc_data");
  if (maps.empty()) return absl::StrCat(" { ompc_begin();", body, "  }");
  return absl::StrCat(" { ompc_begin(); ", maps, "const int ompc_count = ",
                      data.condition.empty() ? "" : absl::StrCat("!(", data.condition, ") ? 0 : "),
                      "(int)(sizeof ompc_data / sizeof ompc_data[0]); "
                      "ompc_require(ompc_data_begin(ompc_count, ompc_data));",
                      body, " ompc_require(ompc_data_end(ompc_count, ompc_data, 0)); }");
}

std::string TextOf(const TargetDataActions& actions) {
  using Kind = TargetDataAction::Kind;
  std::string text = absl::StrCat(
      " {", actions.depends ? TextOf(TaskWaitRegion{*actions.depends}) : "", " ompc_begin(); ",
      actions.condition.empty() ? "" : absl::StrCat("if (", actions.condition, ") "), "{ ");
  for (const auto& [kind, lists] : actions.actions) {
    absl::StrAppend(&text, "{ ", MapArray(lists, "ompc_data"), "ompc_require(",
                    kind == Kind::kUpdate  ? "ompc_data_update("
                    : kind == Kind::kBegin ? "ompc_data_begin("
                                           : "ompc_data_end(",
                    "(int)(sizeof ompc_data / sizeof ompc_data[0]), ompc_data",
                    kind == Kind::kDelete ? ", 1"
                    : kind == Kind::kEnd  ? ", 0"
                                          : "",
                    ")); } ");
  }
  return absl::StrCat(text, "} }");
}

}  // namespace taskrt
