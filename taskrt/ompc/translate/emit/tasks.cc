#include "taskrt/ompc/translate/emit/tasks.h"

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/emit/functions.h"
#include "taskrt/ompc/translate/emit/lists.h"
#include "taskrt/ompc/translate/emit/privates.h"

namespace taskrt {
namespace {

std::string FieldsOf(const TaskClauses& clauses) {
  using Kind = TaskClauses::Field::Kind;
  std::string fields;
  for (const TaskClauses::Field& field : clauses.fields) {
    absl::StrAppend(&fields,
                    field.kind == Kind::kPriority ? ", .priority = (" : ", .is_final = !!(",
                    field.expression, ")");
  }
  if (!clauses.replayable.empty()) {
    absl::StrAppend(&fields, ", .is_once = !(", clauses.replayable, ")");
  }
  return fields;
}

std::string DeferredField(const TaskClauses& clauses) {
  if (clauses.condition.empty()) return "";
  return absl::StrCat(", .is_undeferred = !(", clauses.condition, ")");
}

// A task that is not deferred, as its `if` says or the task that creates it, needs less.
std::string AtOnce(const TaskRegion& task, const Arguments& arguments) {
  std::string final = "0";
  for (const TaskClauses::Field& field : task.clauses.fields) {
    if (field.kind == TaskClauses::Field::Kind::kFinal) {
      final = absl::StrCat("!!(", field.expression, ")");
    }
  }
  const std::string& condition = task.clauses.condition;
  return absl::StrCat("if (!(", condition.empty() ? "ompc_defers()" : condition,
                      ")) ompc_task_run(", FunctionName(task.function), ", ",
                      arguments.args.empty() ? "NULL" : "ompc_args", ", ", final, "); else ");
}

// The loops over a task's iterations, up to where the code of one begins.
std::string HeadOf(const std::vector<TaskLoop>& loops) {
  std::string head;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string count = absl::StrCat("ompc_count", i);
    const std::string index = loops.size() == 1 ? "ompc_k" : absl::StrCat("ompc_rest % ", count);
    head = absl::StrCat(loops[i].variable.name, " = ompc_lower", i, " + ", index, " * ompc_step", i,
                        "; ", loops.size() == 1 ? "" : absl::StrCat("ompc_rest /= ", count, "; "),
                        head);
  }
  return absl::StrCat("for (long ompc_k = ompc_first; ompc_k < ompc_last; ++ompc_k) { ",
                      loops.size() == 1 ? "" : "long ompc_rest = ompc_k; ", head);
}

// The number of iterations.
std::string ProductOf(const std::vector<TaskLoop>& loops) {
  std::string product;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    absl::StrAppend(&product, i == 0 ? "" : " * ", "ompc_count", i);
  }
  return product;
}

std::string BoundsOf(const std::vector<TaskLoop>& loops) {
  std::string bounds;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Loop& loop = loops[i].loop;
    const std::string low = absl::StrCat("ompc_lower", i), upper = absl::StrCat("ompc_upper", i),
                      step = absl::StrCat("ompc_step", i), count = absl::StrCat("ompc_count", i);
    absl::StrAppend(&bounds,
                    loop.declares ? "" : absl::StrCat("(void)sizeof(", loops[i].shown, "); "),
                    loops[i].variable.Declare(low), " = ", loop.lower, "; const __typeof__(1 ? ",
                    low, " : (", loop.upper, ")) ", upper, " = ", loop.upper, "; long ", step,
                    " = ", loop.step, "; long ", count, " = ", loop.Count(low, upper, step), "; ");
  }
  return bounds;
}

// The dependencies that task_iteration gives a task.
DependText DependTextOf(const TaskLoopRegion& taskloop) {
  std::string own;
  for (const TaskLoop& loop : taskloop.loops) {
    const std::string& name = loop.variable.name;
    absl::StrAppend(&own, loop.variable.Declare(name), "; (void)", name, "; ");
  }
  DependText text;
  for (const TaskLoopRegion::Iterated& each : taskloop.iterations) {
    const DependText its = DependTextOf(each.lists);
    absl::StrAppend(&text.filled, "{ ", own, HeadOf(taskloop.loops),
                    each.condition.empty() ? "" : absl::StrCat("if (", each.condition, ") "), "{ ",
                    its.filled, AddedTo(its), "} } } ");
  }
  return text;
}

}  // namespace

std::string TextOf(const TaskRegion& task) {
  const Arguments arguments = ArgumentsOf(task.captures);
  const DependText lists = DependTextOf(task.lists);
  const bool has_event = !task.event.empty();
  std::string fields = FieldsOf(task.clauses);
  if (has_event && task.has_depend) {
    absl::StrAppend(&fields, ", .event = (__UINTPTR_TYPE__)(", task.event, ")");
  }
  const bool may_run_at_once = !has_event && !task.has_depend;
  if (!may_run_at_once) fields += DeferredField(task.clauses);
  return absl::StrCat(
      " { ",
      has_event ? absl::StrCat(task.event, " = (__typeof__(", task.event, "))ompc_event(); ") : "",
      ArgumentArrays(arguments), ListArrays(lists), may_run_at_once ? AtOnce(task, arguments) : "",
      "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"", task.name,
      "\", .function = ", FunctionName(task.function), ArgumentFields(arguments), ListFields(lists),
      fields, "}));", ListsEnd(lists), " }", task.line_ends);
}

std::string TextOf(const TaskLoopRegion& taskloop) {
  const Arguments arguments = ArgumentsOf(taskloop.captures);
  const DependText lists = DependTextOf(taskloop);
  return absl::StrCat(
      " { ", taskloop.has_group ? "ompc_require(ompc_group_begin()); " : "",
      BoundsOf(taskloop.loops), "const long ompc_count = ", ProductOf(taskloop.loops),
      ", ompc_tasks = ompc_loop_tasks(ompc_count, ", taskloop.grainsize, ", ", taskloop.num_tasks,
      "); for (long ompc_i = 0; ompc_i < ompc_tasks; ++ompc_i) { "
      "long ompc_first = ompc_count / ompc_tasks * ompc_i + "
      "(ompc_i < ompc_count % ompc_tasks ? ompc_i : ompc_count % ompc_tasks), "
      "ompc_last = ompc_first + ompc_count / ompc_tasks + (ompc_i < ompc_count % ompc_tasks); ",
      ArgumentArrays(arguments), ListArrays(lists),
      "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"", taskloop.name,
      "\", .function = ", FunctionName(taskloop.function), ArgumentFields(arguments),
      ListFields(lists), FieldsOf(taskloop.clauses), DeferredField(taskloop.clauses), "}));",
      ListsEnd(lists), " } ", taskloop.has_group ? "ompc_require(ompc_group_end()); " : "", "}",
      taskloop.line_ends);
}

std::string TextOf(const TaskLoopPart& part, const std::string& body) {
  const std::string loop = absl::StrCat(HeadOf(part.loops), body, " }");
  if (part.privates.empty()) return loop;
  const PrivatesText privates = PrivatesTextOf(part.privates);
  const std::string end =
      privates.last.empty()
          ? ""
          : absl::StrCat("if (ompc_last == ", ProductOf(part.loops), ") { ", privates.last, "} ");
  return InPrivates(privates, "", end, loop);
}

std::string TextOf(const TaskWaitRegion& wait) {
  const DependText lists = DependTextOf(wait.lists);
  return absl::StrCat(" { ", ListArrays(lists), "ompc_require(ompc_task_wait_for(",
                      ListArguments(lists), "));", ListsEnd(lists), " }");
}

}  // namespace taskrt
