#include "taskrt/ompc/translate/emit/emit.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/emit/directives.h"
#include "taskrt/ompc/translate/emit/functions.h"
#include "taskrt/ompc/translate/emit/loops.h"
#include "taskrt/ompc/translate/emit/privates.h"
#include "taskrt/ompc/translate/emit/targets.h"
#include "taskrt/ompc/translate/emit/tasks.h"
#include "taskrt/ompc/translate/emit/teams.h"

namespace taskrt {
namespace {

class Emitter {
 public:
  std::string Text(const ResolvedCode& code) {
    std::string text;
    for (const ResolvedCode::Element& element : code.elements) {
      text += element.text;
      if (element.region == nullptr) continue;
      text += std::visit([&](const auto& region) { return Of(region); }, element.region->is);
    }
    return text;
  }

 private:
  // A region without code of its own, or with code that stands in it.
  template <class Value>
  std::string Of(const Value& region) {
    if constexpr (requires { region.function; }) Outline(region.function);
    if constexpr (requires { region.body; }) {
      return TextOf(region, Text(region.body));
    } else {
      return TextOf(region);
    }
  }
  std::string Of(const TargetRegion& target) {
    if (!target.call) Outline(target.function);
    return TextOf(target);
  }
  std::string Of(const ScanPhases& scan) {
    const std::string before = Text(scan.before);
    return TextOf(scan, before, Text(scan.after));
  }
  std::string Of(const SectionsRegion& sections) {
    std::vector<std::string> bodies;
    for (const auto& section : sections.sections) bodies.push_back(Text(section.code));
    return TextOf(sections, bodies);
  }
  std::string Of(const MetaRegion& meta) {
    std::vector<std::string> bodies;
    for (const auto& choice : meta.choices) bodies.push_back(Text(choice.code));
    return TextOf(meta, bodies);
  }
  std::string Of(const PrivatesRegion& region) {
    return WithPrivates(region.privates, Text(region.body));
  }
  // The function, and behind it those of its constructs.
  std::string Of(const FunctionRegion& function) {
    std::string text = Text(function.body);
    if (outlined_.empty()) return text;
    for (const std::string& outlined : std::exchange(outlined_, {})) {
      absl::StrAppend(&text, "\n", outlined);
    }
    absl::StrAppend(&text, "#line ", function.line.number, " \"", function.line.file, "\"\n");
    return text;
  }

  void Outline(const OutlinedFunction& function) {
    const std::string body = Text(function.body);
    outlined_.push_back(TextOf(function, body));
  }

  std::vector<std::string> outlined_;  // behind the function that is written
};

}  // namespace

std::string Emit(const ResolvedProgram& program, const std::string& file) {
  const std::string code = Emitter().Text(program.code);
  std::string before = "#include \"taskrt/ompc/omp.h\"\n";
  std::string behind = program.called.empty() ? "" : "\n/* By ompc: how tasks call functions. */\n";
  for (const auto& [name, function] : program.called) {
    absl::StrAppend(&before, "static void ompc_call_", name, "(void **args);\n");
    behind += CallOf(name, function);
  }
  for (int task = 1; task <= program.functions; ++task) {
    absl::StrAppend(&before, "static void ompc_task_", task, "(void **args);\n");
  }
  for (int graph = 1; graph <= program.graphs; ++graph) {
    absl::StrAppend(&before, "static char ompc_construct_", graph, ";\n");
  }
  // Weak: of several files the linker takes one.
  for (const std::string& section : program.sections) {
    absl::StrAppend(&before, "__attribute__((weak)) void *", SectionName(section), ";\n");
  }
  return absl::StrCat(before, "#line 1 \"", file, "\"\n", code, behind);
}

}  // namespace taskrt
