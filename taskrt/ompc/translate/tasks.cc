#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/loop.h"
#include "taskrt/ompc/translate/translator.h"

namespace taskrt {
namespace {

// Without "task:" and its like, which say of which directive an if is.
std::string ConditionOf(const std::string& text) {
  const std::size_t colon = FindOutside(text, ':');
  if (colon == std::string::npos || FindOutside(text, '?') != std::string::npos) return text;
  return Trimmed(std::string_view(text).substr(colon + 1));
}

// ", .in_count = ..." of the lists.
std::string ListFields(const Lists& lists) {
  return absl::StrCat(FieldsFor("in_count", "in_data", "ompc_in", lists.in),
                      FieldsFor("out_count", "out_data", "ompc_out", lists.out));
}
std::string ListArrays(const Lists& lists) {
  return absl::StrCat(ArrayOf("void *", "ompc_in", lists.in),
                      ArrayOf("void *", "ompc_out", lists.out));
}

std::string ArgumentFields(const Arguments& arguments) {
  return absl::StrCat(FieldsFor("args_count", "args", "ompc_args", arguments.args),
                      arguments.args.empty() ? "" : ", .copied = ompc_copied");
}
std::string ArgumentArrays(const Arguments& arguments) {
  return absl::StrCat(ArrayOf("void *", "ompc_args", arguments.args),
                      ArrayOf("const size_t ", "ompc_copied", arguments.copied));
}

}  // namespace

absl::StatusOr<std::string> Translator::FieldsOf(const Directive& directive) {
  std::string fields;
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "priority") {
      absl::StrAppend(&fields, ", .priority = (", Rewritten(clause.text), ")");
    } else if (clause.name == "final") {
      absl::StrAppend(&fields, ", .is_final = !!(", Rewritten(clause.text), ")");
    } else if (clause.name == "if") {
      absl::StrAppend(&fields, ", .is_undeferred = !(", Rewritten(ConditionOf(clause.text)), ")");
    }
  }
  return fields;
}

absl::Status Translator::Task(const Directive& directive) {
  const std::size_t begin = at_;
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  const auto uses = UsesOf(begin, *end);
  if (!uses.ok()) return uses.status();
  const auto captures = CapturesOf(directive, *uses);
  if (!captures.ok()) return captures.status();
  Lists lists;
  if (absl::Status added = AddToLists(directive, lists); !added.ok()) return added;
  const auto fields = FieldsOf(directive);
  if (!fields.ok()) return fields.status();
  std::string function = "NULL";
  if (recorders_.empty()) {
    const auto outlined = Outlined(*captures, begin, *end, "");
    if (!outlined.ok()) return outlined.status();
    function = *outlined;
  }
  const Arguments arguments = ArgumentsOf(*captures);
  absl::StrAppend(&out_, " { ompc_begin(); ", ArgumentArrays(arguments), ListArrays(lists),
                  "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"",
                  NameOf(begin, *end), "\", .function = ", function, ArgumentFields(arguments),
                  ListFields(lists), *fields, "})); }");
  Skip(*end);
  return absl::OkStatus();
}

// A task for each part of the iterations.
absl::Status Translator::TaskLoop(const Directive& directive) {
  const auto loop = ParseLoop(source_, at_);
  if (!loop.ok()) return loop.status();
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  const Variable* const found = Find(loop->variable);
  if (!loop->declares && found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("a declaration of ", loop->variable, " in this file, for taskloop"));
  }
  Variable variable = loop->declares ? *loop->declares : *found;
  variable.shown.clear();
  variable.is_shared = variable.is_static = variable.is_global = false;
  const std::string lower = Rewritten(loop->lower), upper = Rewritten(loop->upper),
                    step = Rewritten(loop->step);
  std::string counts[2] = {"0", "0"};
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "grainsize") counts[0] = Rewritten(ConditionOf(clause.text));
    if (clause.name == "num_tasks") counts[1] = Rewritten(ConditionOf(clause.text));
  }
  const auto fields = FieldsOf(directive);
  if (!fields.ok()) return fields.status();

  // The body sees the variable, and what says which part of the loop it is.
  Scope own{*end, {}, {}};
  Variable first = variable;
  first.name = "ompc_lower";
  own.variables.push_back(first);
  for (const char* const name : {"ompc_step", "ompc_first", "ompc_last"}) {
    Variable number;
    number.name = name;
    number.specifiers = "long";
    own.variables.push_back(number);
  }
  scopes_.push_back(own);
  scopes_.push_back({*end, {variable}, {}});
  auto uses = UsesOf(loop->body, *end);
  scopes_.pop_back();
  if (!uses.ok()) return uses.status();
  uses->erase(variable.name);
  for (const Variable& each : own.variables) uses->insert(each.name);
  Directive without = directive;  // The numbers of the part are each task's own.
  const std::string numbers = "ompc_lower, ompc_step, ompc_first, ompc_last";
  without.clauses.push_back({"firstprivate", numbers});
  auto captures = CapturesOf(without, *uses);
  if (!captures.ok()) return captures.status();
  std::string function = "NULL";
  if (recorders_.empty()) {
    Capture its{variable, Sharing::kPrivate};
    captures->push_back(its);
    const auto outlined = Outlined(
        *captures, loop->body, *end,
        absl::StrCat("  for (long ompc_k = ompc_first; ompc_k < ompc_last; ++ompc_k) {\n  ",
                     variable.name, " = ompc_lower + ompc_k * ompc_step;\n"));
    if (!outlined.ok()) return outlined.status();
    function = *outlined;
    outlined_.back().insert(outlined_.back().rfind("}\n"), "}\n");
  }
  scopes_.pop_back();
  const Arguments arguments = ArgumentsOf(*captures);
  const bool has_group = !directive.Has("nogroup");
  absl::StrAppend(
      &out_, " { ompc_begin(); ",
      loop->declares ? "" : absl::StrCat("(void)sizeof(", Rewritten(loop->variable), "); "),
      has_group ? "ompc_require(ompc_group_begin()); " : "", variable.Declare("ompc_lower"), " = ",
      lower, "; const __typeof__(1 ? ompc_lower : (", upper, ")) ompc_upper = ", upper,
      "; long ompc_step = ", step,
      "; const long ompc_count = ", loop->Count("ompc_lower", "ompc_upper", "ompc_step"),
      ", ompc_tasks = ompc_loop_tasks(ompc_count, ", counts[0], ", ", counts[1],
      "); for (long ompc_i = 0; ompc_i < ompc_tasks; ++ompc_i) { "
      "long ompc_first = ompc_count / ompc_tasks * ompc_i + "
      "(ompc_i < ompc_count % ompc_tasks ? ompc_i : ompc_count % ompc_tasks), "
      "ompc_last = ompc_first + ompc_count / ompc_tasks + (ompc_i < ompc_count % ompc_tasks); ",
      ArgumentArrays(arguments),
      "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"",
      NameOf(loop->body, *end), "\", .function = ", function, ArgumentFields(arguments), *fields,
      "})); } ", has_group ? "ompc_require(ompc_group_end()); " : "", "}");
  Skip(*end);
  return absl::OkStatus();
}

// For the tasks that one with these dependencies would come after.
absl::Status Translator::TaskWait(const Directive& directive) {
  Lists lists;
  if (absl::Status added = AddToLists(directive, lists); !added.ok()) return added;
  const auto passed = [](const std::string& name, const std::vector<std::string>& elements) {
    return elements.empty() ? std::string("0, NULL") : absl::StrCat(elements.size(), ", ", name);
  };
  absl::StrAppend(&out_, " { ompc_begin(); ", ListArrays(lists), "ompc_require(ompc_task_wait_for(",
                  passed("ompc_in", lists.in), ", ", passed("ompc_out", lists.out), ")); }");
  return absl::OkStatus();
}

}  // namespace taskrt
