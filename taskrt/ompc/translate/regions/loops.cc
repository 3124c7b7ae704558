#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {
namespace {

struct Scheduled {
  std::string kind = "OMPC_STATIC", chunk = "0";
};
absl::StatusOr<Scheduled> ScheduleOf(const Directive& directive) {
  Scheduled all;
  const Clause* const clause = directive.Find("schedule");
  if (clause == nullptr) return all;
  std::string text = clause->text;
  if (const std::size_t colon = FindOutside(text, ':');
      colon != std::string::npos &&
      text.find("simd") + text.find("monotonic") != 2 * std::string::npos) {
    text = Trimmed(std::string_view(text).substr(colon + 1));
  }
  const std::size_t comma = text.find(',');
  const std::string kind = Trimmed(std::string_view(text).substr(0, comma));
  static const auto& kinds = *new std::map<std::string, std::string>{{"static", "OMPC_STATIC"},
                                                                     {"dynamic", "OMPC_DYNAMIC"},
                                                                     {"guided", "OMPC_GUIDED"},
                                                                     {"auto", "OMPC_AUTO"},
                                                                     {"runtime", "OMPC_RUNTIME"}};
  const auto known = kinds.find(kind);
  if (known == kinds.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("static, dynamic, guided, auto or runtime in schedule, not ", kind));
  }
  all.kind = known->second;
  if (comma != std::string::npos) all.chunk = Trimmed(std::string_view(text).substr(comma + 1));
  return all;
}

absl::StatusOr<int> CollapsedOf(const Directive& directive) {
  int count = 1;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "collapse") continue;
    if (!absl::SimpleAtoi(clause.text, &count) || count < 1) {
      return absl::InvalidArgumentError("a number in collapse");
    }
  }
  return count;
}

}  // namespace

// The one that the loop runs over, as its own in each task or member.
absl::StatusOr<Variable> Translator::VariableOf(const Loop& loop, const std::string& directive) {
  const Variable* const found = FindDeclared(loop.variable);
  if (!loop.declares && found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("a declaration of ", loop.variable, " in this file, for ", directive));
  }
  Variable variable = loop.declares ? *loop.declares : *found;
  variable.shown.clear();
  variable.after = Rewritten(variable.after);
  variable.is_shared = variable.is_static = variable.is_global = variable.is_threadprivate = false;
  return variable;
}

// The loops' variables, as the member's own where no clause says so.
absl::Status Translator::DeclareVariables(const std::vector<Loop>& loops, std::size_t end,
                                          const std::string& directive, Privates& privates,
                                          std::vector<NestedLoop>& nested) {
  Scope inner{end, {}, {}};
  for (Loop loop : loops) {
    const auto variable = VariableOf(loop, directive);
    if (!variable.ok()) return variable.status();
    // An inner loop's bounds see the variables of the outer ones.
    scopes_.push_back(inner);
    for (std::string* text : {&loop.lower, &loop.upper, &loop.step}) *text = Rewritten(*text);
    scopes_.pop_back();
    inner.variables.push_back(*variable);
    nested.push_back({loop, *variable});
    auto& own = privates.own.variables;
    const bool is_private = std::any_of(
        own.begin(), own.end(), [&](const Variable& each) { return each.name == variable->name; });
    if (is_private) continue;
    own.push_back(*variable);
    absl::StrAppend(&privates.declared, variable->Declare(variable->name), "; ");
  }
  return absl::OkStatus();
}

// The iterations of one or more loops, in chunks, each in the member that gets it.
absl::Status Translator::For(const Directive& directive, std::size_t part) {
  const auto collapsed = CollapsedOf(directive);
  if (!collapsed.ok()) return collapsed.status();
  const auto schedule = ScheduleOf(directive);
  if (!schedule.ok()) return schedule.status();
  const auto loops = ParseLoops(source_, at_, *collapsed, directive.name, macros_);
  if (!loops.ok()) return loops.status();
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  auto privates = PrivatesOf(directive, part);
  if (!privates.ok()) return privates.status();
  const auto scanned = ScannedOf(directive);
  if (!scanned.ok()) return scanned.status();
  privates->before += scanned->before;
  const bool has_last = !privates->last.empty(), is_in_order = RunsInOrder(directive);
  const bool is_ordered = directive.Has("ordered") && !is_in_order;
  std::vector<NestedLoop> nested;
  if (absl::Status declared = DeclareVariables(*loops, *end, directive.name, *privates, nested);
      !declared.ok()) {
    return declared;
  }
  const NestText nest = NestTextOf(nested);
  privates->last = nest.last + privates->last;
  // The first of a static schedule's chunks is member 0's.
  const std::string head = absl::StrCat(
      nest.head, "const long ompc_chunk = ", is_in_order ? nest.count : Rewritten(schedule->chunk),
      "; ");
  // distribute and bind say whose the iterations are.
  std::string whose = is_ordered ? "OMPC_ORDERED" : "0";
  const Clause* const bind = directive.Find("bind");
  const bool is_distribute = directive.parts[part] == "distribute";
  if (directive.parts[part] == "simd") whose += " | OMPC_ALONE";
  if (std::find(directive.parts.begin(), directive.parts.end(), "distribute") !=
      directive.parts.end()) {
    whose += is_distribute ? " | OMPC_OF_TEAM | OMPC_ALONE" : " | OMPC_OF_TEAM";
  } else if (directive.parts[part] == "loop") {
    // In any other construct it is the thread's.
    const std::string around = nest_.size() < 2 ? "" : nest_[nest_.size() - 2];
    const bool is_bound = around.empty() || around == "teams" || around == "parallel";
    const std::string to = bind != nullptr ? bind->text : is_bound ? "teams" : "thread";
    whose += to == "teams" ? " | OMPC_BINDS" : to == "thread" ? " | OMPC_ALONE" : "";
  }
  const bool waits = directive.parts.size() == 1 && !directive.Has("nowait") &&
                     whose.find("OMPC_ALONE") == std::string::npos;
  const Body body = [&]() -> absl::Status {
    absl::StrAppend(
        &out_,
        "struct ompc_loop ompc_loop; long ompc_first, ompc_last; ompc_loop_begin(&ompc_loop, ",
        is_in_order ? "OMPC_STATIC" : schedule->kind, ", ", nest.count, ", ompc_chunk, ", whose,
        "); while (ompc_loop_next(&ompc_loop, &ompc_first, &ompc_last)) { ", nest.open);
    for (const auto& [name, step] : privates->linear) {
      const bool is_loops =
          std::any_of(loops->begin(), loops->end(),
                      [&, &its = name](const Loop& each) { return each.variable == its; });
      if (is_loops) continue;
      absl::StrAppend(&out_, name, " = ompc_kept_", name, " + (", nest.number, ") * (", step,
                      "); ");
    }
    if (is_ordered) absl::StrAppend(&out_, "ompc_loop.iteration = ", nest.number, "; do {");
    Skip(loops->back().body);
    Push(*end);
    const std::size_t depth = scopes_.size();
    if (absl::Status walked = directive.Has("inscan") ? Scan(*scanned, *end)
                                                      : Part(directive, directive.parts.size());
        !walked.ok()) {
      return walked;
    }
    scopes_.resize(depth - 1);
    if (is_ordered) out_ += " } while (0); ompc_ordered_skip(&ompc_loop);";
    Skip(*end);
    absl::StrAppend(&out_, nest.close, " }");
    if (has_last) absl::StrAppend(&out_, " if (ompc_loop.is_last) { ", privates->last, "}");
    return absl::OkStatus();
  };
  return InPrivates(*privates, head,
                    absl::StrCat("ompc_loop_end(&ompc_loop, ", waits ? 0 : 1, "); "), body);
}

// A task for each part of the iterations.
absl::Status Translator::TaskLoop(const Directive& directive) {
  const auto collapsed = CollapsedOf(directive);
  if (!collapsed.ok()) return collapsed.status();
  const auto loops = ParseLoops(source_, at_, *collapsed, "taskloop", macros_);
  if (!loops.ok()) return loops.status();
  if (std::any_of(loops->begin(), loops->end(), [](const Loop& each) { return each.depends; })) {
    return absl::InvalidArgumentError("loops with the same bounds in all iterations of taskloop");
  }
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  std::string counts[2] = {"0", "0"};
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "grainsize" && clause.name != "num_tasks") continue;
    const std::size_t colon = FindOutside(clause.text, ':');  // Of strict.
    const bool is_strict = colon != std::string::npos && clause.text.starts_with("strict");
    counts[clause.name == "num_tasks" ? 1 : 0] =
        Rewritten(is_strict ? clause.text.substr(colon + 1) : clause.text);
  }
  const auto deferred = DeferredField(directive);
  if (!deferred.ok()) return deferred.status();
  const std::string fields = FieldsOf(directive) + *deferred;
  for (const Clause& clause : directive.clauses) {
    const auto items = clause.name == "firstprivate" ? ParseItems(clause)
                                                     : absl::StatusOr<std::vector<ListItem>>();
    if (!items.ok()) continue;
    for (const ListItem& item : *items) {
      if (!HasItem(directive, "lastprivate", item.base)) continue;
      return absl::InvalidArgumentError(absl::StrCat("no firstprivate of ", item.base,
                                                     " behind taskloop, which lastprivate has"));
    }
  }

  // The body sees the variables, and the numbers of its part of the loops, each task's own.
  Scope variables{*end, {}, {}}, numbers{*end, {}, {}};
  std::string names, declared, product, head, own;
  const auto number = [&](const std::string& name) {
    Variable its;
    its.name = name;
    its.specifiers = "long";
    numbers.variables.push_back(its);
    absl::StrAppend(&names, names.empty() ? "" : ", ", name);
  };
  for (std::size_t i = 0; i < loops->size(); ++i) {
    const Loop& loop = (*loops)[i];
    const auto variable = VariableOf(loop, "taskloop");
    if (!variable.ok()) return variable.status();
    const std::string n = std::to_string(i), low = "ompc_lower" + n, step = "ompc_step" + n,
                      upper = "ompc_upper" + n, count = "ompc_count" + n;
    // A variable that is brought back is declared by its clause.
    if (!HasItem(directive, "lastprivate", variable->name))
      variables.variables.push_back(*variable);
    absl::StrAppend(&own, variable->Declare(variable->name), "; (void)", variable->name, "; ");
    Variable first = *variable;
    first.name = low;
    numbers.variables.push_back(first);
    absl::StrAppend(&names, names.empty() ? "" : ", ", low);
    number(step);
    number(count);
    absl::StrAppend(
        &declared,
        loop.declares ? "" : absl::StrCat("(void)sizeof(", Rewritten(loop.variable), "); "),
        variable->Declare(low), " = ", Rewritten(loop.lower), "; const __typeof__(1 ? ", low,
        " : (", Rewritten(loop.upper), ")) ", upper, " = ", Rewritten(loop.upper), "; long ", step,
        " = ", Rewritten(loop.step), "; long ", count, " = ", loop.Count(low, upper, step), "; ");
    absl::StrAppend(&product, product.empty() ? "" : " * ", count);
    const std::string index = loops->size() == 1 ? "ompc_k" : absl::StrCat("ompc_rest % ", count);
    head = absl::StrCat(variable->name, " = ", low, " + ", index, " * ", step, "; ",
                        loops->size() == 1 ? "" : absl::StrCat("ompc_rest /= ", count, "; "), head);
  }
  number("ompc_first");
  number("ompc_last");
  head = absl::StrCat("for (long ompc_k = ompc_first; ompc_k < ompc_last; ++ompc_k) { ",
                      loops->size() == 1 ? "" : "long ompc_rest = ompc_k; ", head);
  scopes_.push_back(numbers);
  scopes_.push_back(variables);
  const std::size_t body = loops->back().body;
  const auto lists = IterationsOf(body, own + head);
  if (!lists.ok()) return lists.status();
  const Body walks = [&]() -> absl::Status {
    out_ += head;
    if (absl::Status walked = Part(directive, directive.parts.size()); !walked.ok()) return walked;
    out_ += " }";
    return absl::OkStatus();
  };
  const Body reduces = [&]() -> absl::Status {
    auto privates = ReductionsOfTask(directive);
    if (!privates.ok()) return privates.status();
    for (const Clause& clause : directive.clauses) {
      if (clause.name != "lastprivate") continue;
      const auto items = ParseItems(clause);
      if (!items.ok()) return items.status();
      for (const ListItem& item : *items) {
        // A loop leaves its variable one step behind.
        for (std::size_t i = 0; i < loops->size(); ++i) {
          if ((*loops)[i].variable != item.base) continue;
          absl::StrAppend(&privates->last, item.base, " += ompc_step", i, "; ");
        }
        if (absl::Status added = AddPrivate(item, "lastprivate", *privates); !added.ok()) {
          return added;
        }
      }
    }
    if (privates->own.variables.empty()) return walks();
    return InPrivates(*privates, "",
                      privates->last.empty() ? ""
                                             : absl::StrCat("if (ompc_last == ", product, ") { ",
                                                            privates->last, "} "),
                      walks);
  };
  auto uses = UsesOf(body, *end, reduces);
  scopes_.pop_back();
  if (!uses.ok()) return uses.status();
  for (const Variable& each : variables.variables) uses->erase(each.name);
  for (const Variable& each : numbers.variables) uses->insert(each.name);
  Directive without = directive;
  without.clauses.push_back({"firstprivate", names});
  auto captures = CapturesOf(without, *uses, "taskloop");
  if (!captures.ok()) return captures.status();
  std::string function = "NULL";
  if (recorders_.empty()) {
    for (const Variable& each : variables.variables) captures->push_back({each, Sharing::kPrivate});
    const auto outlined = Outlined(*captures, body, *end, "", reduces);
    if (!outlined.ok()) return outlined.status();
    function = *outlined;
  }
  scopes_.pop_back();
  const Arguments arguments = ArgumentsOf(*captures);
  const bool has_group = !directive.Has("nogroup");
  absl::StrAppend(
      &out_, " { ", has_group ? "ompc_require(ompc_group_begin()); " : "", declared,
      "const long ompc_count = ", product, ", ompc_tasks = ompc_loop_tasks(ompc_count, ", counts[0],
      ", ", counts[1],
      "); for (long ompc_i = 0; ompc_i < ompc_tasks; ++ompc_i) { "
      "long ompc_first = ompc_count / ompc_tasks * ompc_i + "
      "(ompc_i < ompc_count % ompc_tasks ? ompc_i : ompc_count % ompc_tasks), "
      "ompc_last = ompc_first + ompc_count / ompc_tasks + (ompc_i < ompc_count % ompc_tasks); ",
      ArgumentArrays(arguments), ListArrays(*lists),
      "ompc_require(ompc_task_create(&(const struct ompc_task){.name = \"", NameOf(body, *end),
      "\", .function = ", function, ArgumentFields(arguments), ListFields(*lists), fields, "}));",
      ListsEnd(*lists), " } ", has_group ? "ompc_require(ompc_group_end()); " : "", "}");
  Skip(*end);
  return absl::OkStatus();
}

}  // namespace taskrt
