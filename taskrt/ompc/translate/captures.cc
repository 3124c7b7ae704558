#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/translator.h"

namespace taskrt {
namespace {

std::string ShownOf(const Variable& variable) {
  return variable.shown.empty() ? variable.name : variable.shown;
}

std::string ArgumentName(const Variable& variable) { return absl::StrCat("ompc_", variable.name); }

// A task's own variable with the value that the argument points to.
std::string FirstPrivate(const Variable& variable, const std::string& argument) {
  const std::string& name = variable.name;
  if (variable.is_const() && !variable.is_array()) {
    return absl::StrCat("  ", variable.Declare(name), " = *(__typeof__(", name, ") *)", argument,
                        ";\n");
  }
  Variable plain = variable;
  if (variable.is_array() && variable.before.empty()) {
    std::vector<std::string> words;
    for (const Token& token : TokensOf(variable.specifiers)) {
      if (!token.Is("const")) words.push_back(token.text);
    }
    plain.specifiers = absl::StrJoin(words, " ");
  }
  return absl::StrCat("  ", plain.Declare(name), ";\n  __builtin_memcpy((void *)&", name, ", ",
                      argument, ", sizeof ", name, ");\n");
}

}  // namespace

std::string BlockOf(const ListItem& item) {
  if (!item.is_section) return absl::StrCat("OMPC_BLOCK(", item.base, ")");
  return absl::StrCat("OMPC_PART(", item.base, ", ", item.lower.empty() ? "0" : item.lower, ")");
}

std::string MapOf(const ListItem& item, const std::string& type) {
  const std::string copy = type == "in"      ? "0"
                           : type == "out"   ? "1"
                           : type == "inout" ? "2"
                                             : "OMPC_SCRATCH";
  if (item.length.empty()) return absl::StrCat("OMPC_MAP(", item.base, ", ", copy, ")");
  return absl::StrCat("OMPC_MAP_PART(", item.base, ", ", item.lower.empty() ? "0" : item.lower,
                      ", ", item.length, ", ", copy, ")");
}

std::string ArrayOf(const std::string& type, const std::string& name,
                    const std::vector<std::string>& elements) {
  if (elements.empty()) return "";
  return absl::StrCat(type, name, "[] = {", absl::StrJoin(elements, ", "), "}; ");
}

std::string FieldsFor(const std::string& count, const std::string& field, const std::string& name,
                      const std::vector<std::string>& elements) {
  if (elements.empty()) return "";
  return absl::StrCat(", .", count, " = ", elements.size(), ", .", field, " = ", name);
}

absl::Status Translator::AddToLists(const Directive& directive, Lists& lists) {
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "depend" && clause.name != "map") continue;
    const auto list = clause.name == "depend" ? ParseDepend(clause) : ParseMap(clause);
    if (!list.ok()) return list.status();
    for (ListItem item : list->items) {
      const std::string base = item.base.substr(0, item.base.find_first_of("[.-"));
      const Variable* const variable = Find(base);
      item.base = Rewritten(item.base);
      item.lower = Rewritten(item.lower);
      item.length = Rewritten(item.length);
      if (clause.name == "map") {
        if (variable == nullptr || !variable->is_declared_target) {
          lists.maps.push_back(MapOf(item, list->type));
        }
        continue;
      }
      if (list->type != "out") lists.in.push_back(BlockOf(item));
      if (list->type != "in") lists.out.push_back(BlockOf(item));
    }
  }
  return absl::OkStatus();
}

// The variables of a task's function, those first on which other's declarations depend.
absl::StatusOr<std::vector<Capture>> Translator::CapturesOf(const Directive& directive,
                                                            std::set<std::string> uses) {
  std::map<std::string, Sharing> given;
  std::set<std::string> mapped;
  std::string by_default;
  const bool is_target = directive.name == "target";
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "default") by_default = clause.text;
    const bool is_list =
        clause.name == "shared" || clause.name == "private" || clause.name == "firstprivate";
    if (!is_list && !(is_target && clause.name == "map")) continue;
    const auto items =
        is_list ? ParseItems(clause) : [&]() -> absl::StatusOr<std::vector<ListItem>> {
      const auto map = ParseMap(clause);
      if (!map.ok()) return map.status();
      return map->items;
    }();
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      if (is_list && Find(item.base) == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("a declaration of ", item.base, " in this file, for ", clause.name));
      }
      if (!is_list) {
        if (Find(item.base) == nullptr) {
          return absl::InvalidArgumentError(absl::StrCat(
              "a variable or a part of one in the map of a target whose statement is no call, not ",
              item.base));
        }
        mapped.insert(item.base);
        continue;
      }
      given[item.base] = clause.name == "shared"    ? Sharing::kShared
                         : clause.name == "private" ? Sharing::kPrivate
                                                    : Sharing::kFirstPrivate;
    }
  }
  if (!by_default.empty() && by_default != "shared" && by_default != "none" &&
      by_default != "firstprivate" && by_default != "private") {
    return absl::InvalidArgumentError("none, shared, firstprivate or private in default");
  }
  // What the declarations of those that are used name.
  for (std::vector<std::string> next(uses.begin(), uses.end()); !next.empty();) {
    const Variable* const variable = Find(next.back());
    next.pop_back();
    if (variable == nullptr || variable->is_global) continue;
    for (const std::string& name : NamesIn(variable->Declare(""))) {
      if (Find(name) != nullptr && uses.insert(name).second) next.push_back(name);
    }
  }
  std::vector<Capture> captures;
  const auto add = [&](const Variable& variable) -> absl::Status {
    if (!uses.contains(variable.name) || Find(variable.name) != &variable) return absl::OkStatus();
    const auto sharing = given.find(variable.name);
    Capture capture{variable, Sharing::kFirstPrivate, mapped.contains(variable.name)};
    if (variable.is_global) {
      const bool is_targets = is_target && !variable.is_declared_target && !variable.is_const();
      if (sharing == given.end() ? !is_targets : sharing->second == Sharing::kShared) {
        return absl::OkStatus();
      }
    }
    if (sharing != given.end()) {
      capture.sharing = sharing->second;
    } else if (is_target) {
      capture.sharing = Sharing::kTarget;
    } else if (variable.is_static || by_default == "shared") {
      capture.sharing = Sharing::kShared;
    } else if (by_default == "none") {
      return absl::InvalidArgumentError(absl::StrCat("shared, firstprivate or private for ",
                                                     variable.name, ", as default(none) has it"));
    } else if (by_default == "private") {
      capture.sharing = Sharing::kPrivate;
    } else if (by_default != "firstprivate" && variable.is_shared) {
      capture.sharing = Sharing::kShared;
    }
    captures.push_back(capture);
    return absl::OkStatus();
  };
  for (const Variable& variable : globals_.variables) {
    if (absl::Status added = add(variable); !added.ok()) return added;
  }
  for (const Scope& scope : scopes_) {
    for (const Variable& variable : scope.variables) {
      if (absl::Status added = add(variable); !added.ok()) return added;
    }
  }
  return captures;
}

Arguments Translator::ArgumentsOf(const std::vector<Capture>& captures) {
  Arguments arguments;
  for (const Capture& capture : captures) {
    const std::string shown = ShownOf(capture.variable);
    if (capture.sharing == Sharing::kPrivate) continue;
    if (capture.sharing == Sharing::kTarget) {
      arguments.args.push_back(absl::StrCat("OMPC_PLACE(", shown, ")"));
      arguments.copied.push_back(capture.is_mapped ? "0"
                                                   : absl::StrCat("OMPC_COPIED(", shown, ")"));
      continue;
    }
    arguments.args.push_back(absl::StrCat("(void *)&(", shown, ")"));
    // A parameter that is written as an array is a pointer.
    const bool is_value = capture.variable.is_parameter && capture.variable.shown.empty();
    arguments.copied.push_back(
        capture.sharing == Sharing::kShared
            ? "0"
            : absl::StrCat("sizeof(", is_value ? "(void)0, " : "", shown, ")"));
  }
  return arguments;
}

// The function of a task whose statement is at [begin, end); `head`: what it begins with.
absl::StatusOr<std::string> Translator::Outlined(const std::vector<Capture>& captures,
                                                 std::size_t begin, std::size_t end,
                                                 const std::string& head) {
  const std::string name = absl::StrCat("ompc_task_", ++tasks_);
  std::string text = absl::StrCat("static void ", name, "(void **args) {\n  (void)args;\n");
  Scope own{end, {}, {}};
  for (const Scope& scope : scopes_) {
    for (const TypeDeclaration& type : scope.types) {
      absl::StrAppend(&text, "  ", type.text, "\n");
      own.types.push_back(type);
    }
  }
  const std::size_t at = std::exchange(at_, begin);
  std::string out = std::exchange(out_, "");
  auto scopes = std::exchange(scopes_, {own});
  std::size_t next = 0;
  for (const Capture& capture : captures) {
    Variable variable = capture.variable;
    const bool is_shared = capture.sharing == Sharing::kShared;
    variable.shown.clear();
    variable.is_shared = is_shared;
    variable.is_global = variable.is_static = variable.is_parameter = false;
    std::string declared;
    if (capture.sharing == Sharing::kPrivate) {
      declared =
          absl::StrCat("  ", variable.Declare(variable.name), ";\n  (void)", variable.name, ";\n");
    } else if (const std::string argument = absl::StrCat("args[", next++, "]");
               capture.sharing == Sharing::kFirstPrivate) {
      declared = absl::StrCat(FirstPrivate(variable, argument), "  (void)", variable.name, ";\n");
    } else {
      const std::string pointer = ArgumentName(variable);
      const std::string place =
          is_shared ? argument
                    : absl::StrCat("0;\n  ", pointer, " = OMPC_AT(*", pointer, ", ", argument, ")");
      declared = absl::StrCat("  ", variable.Declare(absl::StrCat("(*", pointer, ")")), " = ",
                              place, ";\n  (void)", pointer, ";\n");
      variable.shown = absl::StrCat("(*", pointer, ")");
    }
    text += Rewritten(declared);
    scopes_.back().variables.push_back(variable);
  }
  const absl::Status walked = Walk(end);
  scopes_ = std::move(scopes);
  std::swap(out, out_);
  at_ = at;
  if (!walked.ok()) return walked;
  const Source::Line line = source_.LineOf(begin);
  absl::StrAppend(&text, head, "#line ", line.number, " \"", line.file, "\"\n", out, "\n}\n");
  outlined_.push_back(text);
  return name;
}

// The task's, for errors: that of the function that it calls, or its place.
std::string Translator::NameOf(std::size_t begin, std::size_t end) const {
  if (const auto call = CallAt(begin, end); call.ok()) return call->function;
  const Source::Line line = source_.LineOf(source_.AfterSpace(begin));
  return absl::StrCat(line.file, ":", line.number);
}

}  // namespace taskrt
