#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

// replayable(...)
std::string Translator::OnceField(const Directive& directive) {
  const Clause* const replayable = directive.Find("replayable");
  if (replayable == nullptr || replayable->text.empty()) return "";
  return absl::StrCat(", .is_once = !(", Rewritten(replayable->text), ")");
}

std::string Translator::FieldsOf(const Directive& directive) {
  std::string fields;
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "priority") {
      absl::StrAppend(&fields, ", .priority = (", Rewritten(clause.text), ")");
    } else if (clause.name == "final") {
      absl::StrAppend(&fields, ", .is_final = !!(", Rewritten(clause.text), ")");
    }
  }
  absl::StrAppend(&fields, OnceField(directive));
  return fields;
}

absl::StatusOr<std::string> Translator::DeferredField(const Directive& directive) {
  const auto condition = ConditionOf(directive, directive.parts.back());
  if (!condition.ok() || condition->empty()) return condition;
  return absl::StrCat(", .is_undeferred = !(", *condition, ")");
}

// A task that is not deferred, as its `if` says or the task that creates it, needs less.
absl::StatusOr<std::string> Translator::AtOnce(const Directive& directive,
                                               const std::string& function,
                                               const Arguments& arguments) {
  if (directive.Has("depend") || directive.Has("detach") || !recorders_.empty()) return "";
  const auto condition = ConditionOf(directive, "task");
  if (!condition.ok()) return condition;
  const std::string defers = condition->empty() ? "ompc_defers()" : *condition;
  const Clause* const final = directive.Find("final");
  return absl::StrCat("if (!(", defers, ")) ompc_task_run(", function, ", ",
                      arguments.args.empty() ? "NULL" : "ompc_args", ", ",
                      final == nullptr ? "0" : absl::StrCat("!!(", Rewritten(final->text), ")"),
                      "); else ");
}

absl::Status Translator::Task(const Directive& directive) {
  const std::size_t begin = at_;
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  const Body body = [&]() -> absl::Status {
    const auto reductions = ReductionsOfTask(directive);
    if (!reductions.ok()) return reductions.status();
    const Body walks = [&] { return Walk(*end); };
    return reductions->own.variables.empty() ? walks() : InPrivates(*reductions, "", "", walks);
  };
  std::string event;
  if (const Clause* const detach = directive.Find("detach")) {
    event = absl::StrCat(Rewritten(detach->text), " = (__typeof__(", Rewritten(detach->text),
                         "))ompc_event(); ");
  }
  const auto uses = UsesOf(begin, *end, body);
  if (!uses.ok()) return uses.status();
  const auto captures = CapturesOf(directive, *uses, "task");
  if (!captures.ok()) return captures.status();
  Lists lists;
  if (absl::Status added = AddToLists(directive, lists); !added.ok()) return added;
  std::string fields = FieldsOf(directive);
  if (directive.Has("detach") && directive.Has("depend")) {
    absl::StrAppend(&fields, ", .event = (__UINTPTR_TYPE__)(",
                    Rewritten(directive.Find("detach")->text), ")");
  }
  std::string function = "NULL";
  if (recorders_.empty()) {
    const auto outlined = Outlined(*captures, begin, *end, "", body);
    if (!outlined.ok()) return outlined.status();
    function = *outlined;
  }
  const Arguments arguments = ArgumentsOf(*captures);
  const auto at_once = AtOnce(directive, function, arguments);
  if (!at_once.ok()) return at_once.status();
  if (at_once->empty()) {
    const auto deferred = DeferredField(directive);
    if (!deferred.ok()) return deferred.status();
    fields += *deferred;
  }
  absl::StrAppend(&out_, " { ", event, ArgumentArrays(arguments), ListArrays(lists), *at_once,
                  "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"",
                  NameOf(begin, *end), "\", .function = ", function, ArgumentFields(arguments),
                  ListFields(lists), fields, "}));", ListsEnd(lists), " }");
  Skip(*end);
  return absl::OkStatus();
}

// The dependencies that task_iteration, at the begin of a taskloop's body, gives a task of it.
// `head`: the loop over the task's iterations, as far as to where they begin.
absl::StatusOr<Lists> Translator::IterationsOf(std::size_t body, const std::string& head) {
  Lists all;
  std::size_t at = source_.AfterSpace(body);
  if (source_.text()[at] == '{') at = source_.AfterSpace(at + 1);
  while (source_.IsDirective(at)) {
    const std::size_t end = source_.AfterDirective(at);
    const std::string text = source_.Text(at + 1, end);
    const std::vector<std::string> words = NamesIn(text);
    if (words.size() < 3 || words[1] != "omp" || words[2] != "task_iteration") break;
    std::string clauses = text.substr(text.find("task_iteration"));
    std::replace(clauses.begin(), clauses.end(), '\\', ' ');
    const auto directive = ParseDirective(clauses);
    if (!directive.ok()) return At(at, directive.status());
    Lists its;
    if (absl::Status added = AddToLists(*directive, its); !added.ok()) return At(at, added);
    const auto condition = ConditionOf(*directive, "task_iteration");
    if (!condition.ok()) return At(at, condition.status());
    std::string adds = std::move(its.filled);
    for (const std::string& in : its.in) {
      absl::StrAppend(&adds, "ompc_list_add(&ompc_in, ", in, "); ");
    }
    for (const std::string& out : its.out) {
      absl::StrAppend(&adds, "ompc_list_add(&ompc_out, ", out, "); ");
    }
    absl::StrAppend(&all.filled, "{ ", head,
                    condition->empty() ? "" : absl::StrCat("if (", *condition, ") "), "{ ", adds,
                    "} } } ");
    iterations_.insert(end);
    at = source_.AfterSpace(end);
  }
  return all;
}

// For the tasks that one with these dependencies would come after.
absl::Status Translator::TaskWait(const Directive& directive) {
  Lists lists;
  if (absl::Status added = AddToLists(directive, lists); !added.ok()) return added;
  absl::StrAppend(&out_, " { ", ListArrays(lists), "ompc_require(ompc_task_wait_for(",
                  ListArguments(lists), "));", ListsEnd(lists), " }");
  return absl::OkStatus();
}

}  // namespace taskrt
