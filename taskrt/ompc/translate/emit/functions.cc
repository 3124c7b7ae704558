#include "taskrt/ompc/translate/emit/functions.h"

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/emit/arrays.h"

namespace taskrt {
namespace {

// A function's own variable with the value that the argument points to.
std::string FirstPrivate(const Variable& variable, const std::string& argument) {
  const std::string& name = variable.name;
  if (variable.is_const() && !variable.is_array()) {
    return absl::StrCat("  ", variable.Declare(name), " = *(__typeof__(", name, ") *)", argument,
                        ";\n");
  }
  return absl::StrCat("  ", variable.Declare(name), ";\n  __builtin_memcpy((void *)&", name, ", ",
                      argument, ", sizeof ", name, ");\n");
}

std::string DeclarationOf(const OutlinedFunction::OwnVariable& own, const std::string& argument) {
  const Variable& variable = own.variable;
  const std::string used = absl::StrCat("  (void)", variable.name, ";\n");
  if (own.sharing == Sharing::kPrivate) {
    return absl::StrCat("  ", variable.Declare(variable.name), ";\n", used);
  }
  if (own.sharing == Sharing::kFirstPrivate) return FirstPrivate(variable, argument) + used;
  const std::string pointer = PlaceName(variable);
  const std::string place =
      own.sharing == Sharing::kShared
          ? argument
          : absl::StrCat("0;\n  ", pointer, " = OMPC_AT(*", pointer, ", ", argument, ")");
  return absl::StrCat("  ", variable.Declare(absl::StrCat("(*", pointer, ")")), " = ", place,
                      ";\n  (void)", pointer, ";\n");
}

std::string SizeOf(const Variable& variable) {
  // A parameter that is written as an array is a pointer.
  const bool is_value = variable.is_parameter && variable.shown.empty();
  return absl::StrCat("sizeof(", is_value ? "(void)0, " : "", ShownOf(variable), ")");
}

// The bytes that the task copies; 0: it has the place.
std::string CopiedOf(const Capture& capture) {
  if (capture.variable.is_threadprivate || capture.sharing == Sharing::kShared) return "0";
  if (capture.sharing != Sharing::kTarget) return SizeOf(capture.variable);
  const std::string shown = ShownOf(capture.variable);
  if (capture.is_mapped) return "0";
  return capture.default_map
             ? absl::StrCat("OMPC_COPIED_AS(", shown, ", ", TextOf(*capture.default_map), ")")
             : absl::StrCat("OMPC_COPIED(", shown, ")");
}

std::string NameOf(ImpliedMap map) {
  switch (map) {
    case ImpliedMap::kToDevice:
      return "OMPC_TO_DEVICE";
    case ImpliedMap::kToHost:
      return "OMPC_TO_HOST";
    case ImpliedMap::kBoth:
      return "OMPC_BOTH";
    case ImpliedMap::kScratch:
      return "OMPC_SCRATCH";
    case ImpliedMap::kCopy:
      return "OMPC_COPY";
    case ImpliedMap::kAsEver:
      break;
  }
  return "OMPC_AS_EVER";
}

}  // namespace

std::string TextOf(const DefaultMap& map) {
  return absl::StrCat(NameOf(map.scalar), ", ", NameOf(map.aggregate));
}

Arguments ArgumentsOf(const std::vector<Capture>& captures) {
  Arguments arguments;
  for (const Capture& capture : captures) {
    if (capture.sharing == Sharing::kPrivate) continue;
    const bool is_target =
        capture.sharing == Sharing::kTarget && !capture.variable.is_threadprivate;
    if (capture.is_saved && !is_target && !capture.variable.is_threadprivate &&
        arguments.args.size() < 64) {
      arguments.saved |= 1UL << arguments.args.size();
    }
    arguments.args.push_back(capture.variable.is_threadprivate
                                 ? absl::StrCat("(void *)&", capture.variable.name)
                                 : absl::StrCat(is_target ? "OMPC_PLACE(" : "(void *)&(",
                                                ShownOf(capture.variable), ")"));
    arguments.copied.push_back(CopiedOf(capture));
  }
  return arguments;
}

std::string ArgumentArrays(const Arguments& arguments) {
  return absl::StrCat(ArrayOf("void *", "ompc_args", arguments.args),
                      ArrayOf("const size_t ", "ompc_copied", arguments.copied));
}

std::string ArgumentFields(const Arguments& arguments) {
  return absl::StrCat(
      FieldsFor("args_count", "args", "ompc_args", arguments.args.size()),
      arguments.args.empty() ? "" : ", .copied = ompc_copied",
      arguments.saved == 0 ? "" : absl::StrCat(", .saved = ", arguments.saved, "UL"));
}

std::string FunctionName(const OutlinedFunction& function) {
  return absl::StrCat("ompc_task_", function.number);
}

std::string TextOf(const OutlinedFunction& function, const std::string& body) {
  std::string text = absl::StrCat("static void ", FunctionName(function),
                                  "(void **ompc_args) {\n  (void)ompc_args;\n");
  for (const std::string& type : function.types) absl::StrAppend(&text, "  ", type, "\n");
  std::size_t next = 0;  // argument
  for (const OutlinedFunction::OwnVariable& own : function.variables) {
    const bool is_argument = own.sharing != Sharing::kPrivate;
    text += DeclarationOf(own, is_argument ? absl::StrCat("ompc_args[", next, "]") : "");
    next += is_argument ? 1 : 0;
  }
  absl::StrAppend(&text, "#line ", function.line.number, " \"", function.line.file, "\"\n", body,
                  "\n}\n");
  return text;
}

}  // namespace taskrt
