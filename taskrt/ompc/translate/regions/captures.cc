#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

std::string ShownOf(const Variable& variable) {
  return variable.shown.empty() ? variable.name : variable.shown;
}

std::string WithWords(const std::string& text, const std::map<std::string, std::string>& words) {
  std::string result;
  std::size_t copied = 0;
  const std::vector<Token> tokens = TokensOf(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto word = words.find(tokens[i].text);
    if (tokens[i].kind != Token::Kind::kWord || IsOtherName(tokens, i) || word == words.end())
      continue;
    absl::StrAppend(&result, text.substr(copied, tokens[i].begin - copied), word->second);
    copied = tokens[i].end;
  }
  return result + text.substr(copied);
}

namespace {

std::string ArgumentName(const Variable& variable) {
  return absl::StrCat("ompc_at_", variable.name);
}

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

namespace {

// ", SCALARS, AGGREGATES" for the macros of omp.h; or none.
absl::StatusOr<std::string> DefaultMapOf(const Directive& directive) {
  static const auto& types = *new std::map<std::string, std::string>{
      {"to", "OMPC_TO_DEVICE"},   {"from", "OMPC_TO_HOST"},      {"tofrom", "OMPC_BOTH"},
      {"alloc", "OMPC_SCRATCH"},  {"firstprivate", "OMPC_COPY"}, {"default", "OMPC_AS_EVER"},
      {"present", "OMPC_AS_EVER"}};
  std::string scalar = "OMPC_AS_EVER", aggregate = "OMPC_AS_EVER";
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "defaultmap") continue;
    const std::size_t colon = clause.text.find(':');
    const std::string type = Trimmed(std::string_view(clause.text).substr(0, colon));
    const std::string category = colon == std::string::npos
                                     ? "all"
                                     : Trimmed(std::string_view(clause.text).substr(colon + 1));
    if (type == "none" && category == "all") return type;
    if (type == "none") continue;
    const auto known = types.find(type);
    if (known == types.end())
      return absl::InvalidArgumentError(absl::StrCat("no ", type, " in defaultmap"));
    if (category == "all" || category == "scalar") scalar = known->second;
    if (category == "all" || category == "aggregate") aggregate = known->second;
  }
  return absl::StrCat(", ", scalar, ", ", aggregate);
}

}  // namespace

// How the clauses say that the construct's function gets variables. `part`: of which part of a
// combined construct it is the function.
absl::StatusOr<Translator::Given> Translator::GivenBy(const Directive& directive,
                                                      std::string_view part) {
  Given given;
  const bool is_target = part == "target";
  const auto add = [&](const Clause& clause, Sharing sharing, bool is_mapped) -> absl::Status {
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      if (Find(item.base) == nullptr) {
        return absl::InvalidArgumentError(
            is_mapped
                ? absl::StrCat(
                      "a variable or a part of one in the map of a target whose statement is "
                      "no call, not ",
                      item.base)
                : absl::StrCat("a declaration of ", item.base, " in this file, for ", clause.name));
      }
      if (is_mapped) {
        given.mapped.insert(item.base);
      } else if (sharing != Sharing::kFirstPrivate || !given.brought_back.contains(item.base)) {
        given.sharing[item.base] = sharing;
      }
    }
    return absl::OkStatus();
  };
  if (is_target && directive.Has("defaultmap")) {
    const auto map = DefaultMapOf(directive);
    if (!map.ok()) return map.status();
    given.default_map = *map;
  }
  for (Clause clause : directive.clauses) {
    absl::Status added;
    if (clause.name == "default" && !is_target) given.by_default = clause.text;
    if (clause.name == "reduction" || clause.name == "in_reduction" || clause.name == "inscan" ||
        clause.name == "conditional" || clause.name == "lastprivate" || clause.name == "linear") {
      // They are the inner part's own, and shared until then.
      const std::size_t colon = FindOutside(clause.text, ':');
      if (colon != std::string::npos) {
        clause.text =
            clause.name == "linear" ? clause.text.substr(0, colon) : clause.text.substr(colon + 1);
      }
      added = add(clause, Sharing::kShared, is_target);
      if (const auto items = ParseItems(clause);
          items.ok() && clause.name.find("reduction") == std::string::npos) {
        for (const ListItem& item : *items) given.brought_back.insert(item.base);
      }
    } else if (clause.name == "shared" && !is_target) {
      added = add(clause, Sharing::kShared, false);
    } else if (clause.name == "private") {
      added = add(clause, Sharing::kPrivate, false);
    }
    if (!added.ok()) return added;
  }
  for (Clause clause : directive.clauses) {
    absl::Status added;
    if (TakeSaved(clause)) {
      for (const std::string& name : NamesIn(clause.text)) given.saved.insert(name);
    }
    if (clause.name == "firstprivate") {
      added = add(clause, Sharing::kFirstPrivate, false);
    } else if (is_target && clause.name == "map") {
      const auto map = ParseMap(clause);
      if (!map.ok()) return map.status();
      for (const ListItem& item : map->items) {
        added.Update(add({"map", item.base}, Sharing::kTarget, true));
      }
    }
    if (!added.ok()) return added;
  }
  return given;
}

// The variables of a construct's function, those first on which other's declarations depend.
absl::StatusOr<std::vector<Capture>> Translator::CapturesOf(const Directive& directive,
                                                            std::set<std::string> uses,
                                                            std::string_view part) {
  const bool is_target = part == "target";
  auto all = GivenBy(directive, part);
  if (!all.ok()) return all.status();
  const std::map<std::string, Sharing>& given = all->sharing;
  std::string by_default = all->by_default;
  if (part == "parallel" && by_default.empty()) by_default = "shared";
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
    Capture capture{variable, Sharing::kFirstPrivate, all->mapped.contains(variable.name)};
    if (variable.is_threadprivate && variable.is_global) return absl::OkStatus();
    if (variable.is_nested_function) {
      return absl::InvalidArgumentError(
          absl::StrCat("no ", variable.name, ", a function inside of a function, in the block of ",
                       std::string(part)));
    }
    if (variable.is_global) {
      const bool is_targets = is_target && !variable.is_declared_target && !variable.is_const();
      if (sharing == given.end() ? !is_targets : sharing->second == Sharing::kShared) {
        return absl::OkStatus();
      }
      if (watched_ != nullptr) watched_->copied.insert(variable.name);
    }
    if (sharing != given.end()) {
      capture.sharing = sharing->second;
    } else if (is_target && all->default_map == "none" && !capture.is_mapped) {
      return absl::InvalidArgumentError(
          absl::StrCat("a map of ", variable.name, ", as defaultmap(none) has it"));
    } else if (is_target) {
      capture.default_map = all->default_map == "none" ? "" : all->default_map;
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
    capture.is_saved = all->saved.contains(variable.name);
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
    if (capture.variable.is_threadprivate) {
      arguments.args.push_back(absl::StrCat("(void *)&", capture.variable.name));
      arguments.copied.push_back("0");
      continue;
    }
    if (capture.sharing == Sharing::kTarget) {
      arguments.args.push_back(absl::StrCat("OMPC_PLACE(", shown, ")"));
      arguments.copied.push_back(
          capture.is_mapped ? "0"
          : capture.default_map.empty()
              ? absl::StrCat("OMPC_COPIED(", shown, ")")
              : absl::StrCat("OMPC_COPIED_AS(", shown, capture.default_map, ")"));
      continue;
    }
    if (capture.is_saved && arguments.args.size() < 64) {
      arguments.saved |= 1UL << arguments.args.size();
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
                                                 const std::string& head, const Body& body) {
  const std::string name = absl::StrCat("ompc_task_", ++tasks_);
  std::string text =
      absl::StrCat("static void ", name, "(void **ompc_args) {\n  (void)ompc_args;\n");
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
  enclosing_.push_back(scopes);
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
    } else if (const std::string argument = absl::StrCat("ompc_args[", next++, "]");
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
      if (variable.is_threadprivate) {
        variable.shown = absl::StrCat("(*(__typeof__(*", pointer, ") *)ompc_threadprivate_at(",
                                      pointer, ", sizeof *", pointer, "))");
      }
    }
    text += Rewritten(declared);
    scopes_.back().variables.push_back(variable);
  }
  const absl::Status walked = body();
  scopes_ = std::move(scopes);
  enclosing_.pop_back();
  std::swap(out, out_);
  at_ = at;
  if (!walked.ok()) return walked;
  const Source::Line line = source_.LineOf(begin);
  absl::StrAppend(&text, head, "#line ", line.number, " \"", line.file, "\"\n", out, "\n}\n");
  outlined_.push_back(text);
  return name;
}

std::string ArgumentFields(const Arguments& arguments) {
  return absl::StrCat(FieldsFor("args_count", "args", "ompc_args", arguments.args),
                      arguments.args.empty() ? "" : ", .copied = ompc_copied",
                      SavedField(arguments));
}
std::string ArgumentArrays(const Arguments& arguments) {
  return absl::StrCat(ArrayOf("void *", "ompc_args", arguments.args),
                      ArrayOf("const size_t ", "ompc_copied", arguments.copied));
}

// The task's, for errors: that of the function that it calls, or its place.
std::string Translator::NameOf(std::size_t begin, std::size_t end) const {
  if (const auto call = CallAt(begin, end); call.ok()) return call->function;
  const Source::Line line = source_.LineOf(source_.AfterSpace(begin));
  return absl::StrCat(line.file, ":", line.number);
}

}  // namespace taskrt
