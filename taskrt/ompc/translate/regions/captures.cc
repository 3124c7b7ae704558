#include "taskrt/ompc/translate/regions/captures.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/directives/parse.h"

namespace taskrt {
namespace {

// A value: what the clauses of a construct say of variables.
struct Given {
  std::map<std::string, Sharing> sharing;
  std::set<std::string> mapped, brought_back, saved;
  std::string by_default;
  std::optional<DefaultMap> default_map;
  bool needs_maps = false;  // by defaultmap(none)
};

absl::Status AddDefaultMap(const Directive& directive, Given& given) {
  static const auto& types = *new std::map<std::string, ImpliedMap>{
      {"to", ImpliedMap::kToDevice},       {"from", ImpliedMap::kToHost},
      {"tofrom", ImpliedMap::kBoth},       {"alloc", ImpliedMap::kScratch},
      {"firstprivate", ImpliedMap::kCopy}, {"default", ImpliedMap::kAsEver},
      {"present", ImpliedMap::kAsEver}};
  DefaultMap map;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "defaultmap") continue;
    const std::size_t colon = clause.text.find(':');
    const std::string type = Trimmed(std::string_view(clause.text).substr(0, colon));
    const std::string category = colon == std::string::npos
                                     ? "all"
                                     : Trimmed(std::string_view(clause.text).substr(colon + 1));
    given.needs_maps |= type == "none" && category == "all";
    if (type == "none") continue;
    const auto known = types.find(type);
    if (known == types.end())
      return absl::InvalidArgumentError(absl::StrCat("no ", type, " in defaultmap"));
    if (category == "all" || category == "scalar") map.scalar = known->second;
    if (category == "all" || category == "aggregate") map.aggregate = known->second;
  }
  if (!given.needs_maps) given.default_map = map;
  return absl::OkStatus();
}

// How the clauses say that the construct's function gets variables. `part`: of which part of a
// combined construct it is the function.
absl::StatusOr<Given> GivenBy(Resolution& all, const Directive& directive, std::string_view part) {
  Given given;
  const bool is_target = part == "target";
  const auto add = [&](const Clause& clause, Sharing sharing, bool is_mapped) -> absl::Status {
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      if (all.scopes.Find(item.base) == nullptr) {
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
    if (absl::Status added = AddDefaultMap(directive, given); !added.ok()) return added;
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

// The variable's name in the construct's function: where that has its place, what is there.
std::string ShownInFunction(const Capture& capture) {
  if (capture.sharing != Sharing::kShared && capture.sharing != Sharing::kTarget) return "";
  const std::string pointer = PlaceName(capture.variable);
  if (!capture.variable.is_threadprivate) return absl::StrCat("(*", pointer, ")");
  return absl::StrCat("(*(__typeof__(*", pointer, ") *)ompc_threadprivate_at(", pointer,
                      ", sizeof *", pointer, "))");
}

// An array that is copied byte by byte.
Variable WithoutConst(Variable variable) {
  if (!variable.is_array() || !variable.before.empty()) return variable;
  std::vector<std::string> words;
  for (const Token& token : TokensOf(variable.specifiers)) {
    if (!token.Is("const")) words.push_back(token.text);
  }
  variable.specifiers = absl::StrJoin(words, " ");
  return variable;
}

// The variable as the construct's function has it; its texts are those of its declaration.
Variable OwnOf(const Capture& capture) {
  Variable own = capture.variable;
  own.shown = ShownInFunction(capture);
  own.is_shared = capture.sharing == Sharing::kShared;
  own.is_global = own.is_static = own.is_parameter = false;
  return own;
}

// Adds the names that the declarations of the variables in use name.
void AddDeclarationsNames(Resolution& all, std::set<std::string>& uses) {
  for (std::vector<std::string> next(uses.begin(), uses.end()); !next.empty();) {
    const Variable* const variable = all.scopes.Find(next.back());
    next.pop_back();
    if (variable == nullptr || variable->is_global) continue;
    for (const std::string& name : NamesIn(variable->Declare(""))) {
      if (all.scopes.Find(name) != nullptr && uses.insert(name).second) next.push_back(name);
    }
  }
}

// How the function gets a variable that no clause lists.
absl::StatusOr<Sharing> ImpliedSharing(const Given& given, const Variable& variable) {
  if (variable.is_static || given.by_default == "shared") return Sharing::kShared;
  if (given.by_default == "none") {
    return absl::InvalidArgumentError(absl::StrCat("shared, firstprivate or private for ",
                                                   variable.name, ", as default(none) has it"));
  }
  if (given.by_default == "private") return Sharing::kPrivate;
  const bool is_shared = given.by_default != "firstprivate" && variable.is_shared;
  return is_shared ? Sharing::kShared : Sharing::kFirstPrivate;
}

// A variable in use; nullopt: the function needs no other than the file's.
absl::StatusOr<std::optional<Capture>> CaptureOf(Resolution& all, const Given& given,
                                                 std::string_view part, const Variable& variable) {
  const bool is_target = part == "target";
  const auto sharing = given.sharing.find(variable.name);
  const bool is_given = sharing != given.sharing.end();
  if (variable.is_threadprivate && variable.is_global) return std::nullopt;
  if (variable.is_nested_function) {
    return absl::InvalidArgumentError(
        absl::StrCat("no ", variable.name, ", a function inside of a function, in the block of ",
                     std::string(part)));
  }
  if (variable.is_global) {
    const bool is_targets = is_target && !variable.is_declared_target && !variable.is_const();
    if (is_given ? sharing->second == Sharing::kShared : !is_targets) return std::nullopt;
    all.watch.NoteCopied(variable.name);
  }
  Capture capture{variable, Sharing::kFirstPrivate, given.mapped.contains(variable.name)};
  capture.is_saved = given.saved.contains(variable.name);
  if (is_given) {
    capture.sharing = sharing->second;
  } else if (is_target) {
    if (given.needs_maps && !capture.is_mapped) {
      return absl::InvalidArgumentError(
          absl::StrCat("a map of ", variable.name, ", as defaultmap(none) has it"));
    }
    capture.sharing = Sharing::kTarget;
    capture.default_map = given.default_map;
  } else {
    const auto implied = ImpliedSharing(given, variable);
    if (!implied.ok()) return implied.status();
    capture.sharing = *implied;
  }
  return capture;
}

}  // namespace

absl::StatusOr<std::vector<Capture>> CapturesOf(Resolution& all, const Directive& directive,
                                                std::set<std::string> uses, std::string_view part) {
  auto given = GivenBy(all, directive, part);
  if (!given.ok()) return given.status();
  if (part == "parallel" && given->by_default.empty()) given->by_default = "shared";
  static const auto& defaults =
      *new std::set<std::string>{"", "shared", "none", "firstprivate", "private"};
  if (!defaults.contains(given->by_default)) {
    return absl::InvalidArgumentError("none, shared, firstprivate or private in default");
  }
  AddDeclarationsNames(all, uses);
  std::vector<Capture> captures;
  const auto add = [&](const Scope& scope) -> absl::Status {
    for (const Variable& variable : scope.variables) {
      const bool is_used =
          uses.contains(variable.name) && all.scopes.Find(variable.name) == &variable;
      if (!is_used) continue;
      auto capture = CaptureOf(all, *given, part, variable);
      if (!capture.ok()) return capture.status();
      if (*capture) captures.push_back(**std::move(capture));
    }
    return absl::OkStatus();
  };
  if (absl::Status added = add(all.scopes.globals()); !added.ok()) return added;
  for (const Scope& scope : all.scopes.all()) {
    if (absl::Status added = add(scope); !added.ok()) return added;
  }
  return captures;
}

absl::StatusOr<OutlinedFunction> Outlined(Resolution& all, const std::vector<Capture>& captures,
                                          std::size_t begin, std::size_t end,
                                          const ResolveBody& body) {
  if (all.scopes.is_searching()) return OutlinedFunction();
  OutlinedFunction function;
  function.number = ++all.outlined;
  function.line = all.source.LineOf(begin);
  Scope outermost{end, {}, {}};
  for (const Scope& scope : all.scopes.all()) {
    for (const TypeDeclaration& type : scope.types) {
      function.types.push_back(type.text);
      outermost.types.push_back(type);
    }
  }
  const absl::Status done = all.scopes.InFunction(outermost, [&]() -> absl::Status {
    for (const Capture& capture : captures) {
      const Variable own = OwnOf(capture);
      Variable declared = capture.sharing == Sharing::kFirstPrivate ? WithoutConst(own) : own;
      for (std::string* const text : {&declared.specifiers, &declared.before, &declared.after}) {
        *text = all.scopes.Rewritten(*text);
      }
      function.variables.push_back({declared, capture.sharing});
      all.scopes.innermost().variables.push_back(own);
    }
    auto code = body();
    if (code.ok()) function.body = *std::move(code);
    return code.status();
  });
  if (!done.ok()) return done;
  return function;
}

std::string TaskNameOf(const Source& source, std::size_t begin, std::size_t end) {
  if (const auto call = CallAt(source, begin, end)) return call->function;
  const Source::Line line = source.LineOf(source.AfterSpace(begin));
  return absl::StrCat(line.file, ":", line.number);
}

std::optional<Call> CallAt(const Source& source, std::size_t begin, std::size_t end) {
  std::size_t at = source.AfterSpace(begin);
  const std::string_view text = source.text();
  const bool is_block = text[at] == '{';
  const std::size_t start = is_block ? source.AfterSpace(at + 1) : at;
  Call call{source.WordAt(start), {}};
  at = source.AfterSpace(source.AfterWord(start));
  if (call.function.empty() || at >= end || text[at] != '(') return std::nullopt;
  if (call.function == "for" || call.function == "while" || call.function == "if" ||
      call.function == "switch" || call.function == "sizeof") {
    return std::nullopt;
  }
  const auto after = source.AfterBrackets(at);
  if (!after.ok()) return std::nullopt;
  call.arguments = SplitAtCommas(text.substr(at + 1, *after - at - 2));
  at = source.AfterSpace(*after);
  if (text[at] != ';') return std::nullopt;
  at = is_block ? source.AfterSpace(at + 1) + 1 : at + 1;
  if (at != end) return std::nullopt;
  return call;
}

}  // namespace taskrt
