#include "taskrt/ompc/translate/regions/privates.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/regions/lists.h"

namespace taskrt {
namespace {

using Kind = PrivateVariable::Kind;
using Form = ReducedVariable::Form;

// The dimensions of an array's declaration.
std::size_t DimensionsOf(const std::string& after) {
  std::size_t count = 0, depth = 0;
  for (const char c : after) {
    if (c == '[' && depth++ == 0) ++count;
    if (c == ']') --depth;
  }
  return count;
}

// The pointer to the array's elements, as of a parameter that is written so.
Variable PointerOf(const Variable& variable) {
  Variable pointer = ParseParameters(variable.Declare(variable.name))[0];
  pointer.is_parameter = false;
  return pointer;
}

// As a block's own.
Variable OwnOf(const Variable& variable) {
  Variable own = variable;
  own.shown.clear();
  own.is_static = own.is_global = own.is_shared = own.is_threadprivate = false;
  return own;
}

// The part behind the specifiers, of the type of an array's elements or of a pointer's block.
std::string ElementsOf(const ListItem& item, const Variable& variable) {
  const bool is_block = item.is_section && !variable.is_array() && variable.before.ends_with('*');
  return is_block ? variable.before.substr(0, variable.before.size() - 1) : variable.before;
}

// Which part of a combined construct has the clause.
bool Takes(const Directive& directive, std::size_t part, const std::string& clause) {
  const auto& parts = directive.parts;
  const auto at = [&](std::initializer_list<std::string_view> names) {
    return static_cast<std::size_t>(std::find_if(parts.begin(), parts.end(),
                                                 [&](const std::string& each) {
                                                   return std::find(names.begin(), names.end(),
                                                                    each) != names.end();
                                                 }) -
                                    parts.begin());
  };
  const std::size_t parallel = at({"parallel"}), loop = at({"for", "sections", "loop"});
  const std::size_t none = parts.size();
  const std::size_t shared = parts.size() == 1                  ? 0
                             : loop != none || parallel != none ? loop
                                                                : at({"distribute"});
  if (clause == "lastprivate" || clause == "linear") return part == shared;
  if (clause == "reduction") return part == (shared != none ? shared : parallel);
  const std::size_t first = parallel != none ? parallel : shared != none ? shared : none - 1;
  return part == first;
}

std::optional<Kind> KindOf(const std::string& clause) {
  if (clause == "private") return Kind::kPrivate;
  if (clause == "firstprivate") return Kind::kFirstPrivate;
  if (clause == "lastprivate") return Kind::kLastPrivate;
  if (clause == "linear") return Kind::kLinear;
  return std::nullopt;
}

// "OPERATOR: list", "default, OPERATOR: list"
struct NamedReduction {
  std::string name;
  std::vector<ListItem> items;
  bool has_tasks = false;
};
absl::StatusOr<NamedReduction> ParseReduction(const Clause& clause) {
  const std::size_t colon = FindOutside(clause.text, ':');
  if (colon == std::string::npos) return absl::InvalidArgumentError("OPERATOR: in reduction");
  NamedReduction reduction;
  reduction.name = Trimmed(std::string_view(clause.text).substr(0, colon));
  std::string& name = reduction.name;
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    const std::string modifier = Trimmed(std::string_view(name).substr(0, comma));
    if (modifier != "default" && modifier != "task") {
      return absl::InvalidArgumentError(absl::StrCat("no modifier ", modifier, " in reduction"));
    }
    reduction.has_tasks = modifier == "task";
    name = Trimmed(std::string_view(name).substr(comma + 1));
  }
  const auto items = ParseItems({"reduction", clause.text.substr(colon + 1)});
  if (!items.ok()) return items.status();
  reduction.items = *items;
  return reduction;
}

absl::StatusOr<ReducedVariable> ReducedOf(Resolution& all, std::size_t at, const std::string& name,
                                          const ListItem& item) {
  const Variable* const found = all.scopes.Find(item.base);
  if (found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("a declaration of ", item.base, " in this file, for reduction"));
  }
  ReducedVariable reduced;
  reduced.name = name;
  reduced.shown = ShownOf(*found);
  reduced.variable = OwnOf(*found);
  Variable& variable = reduced.variable;
  const bool is_array = item.is_section || (variable.is_array() && variable.before.empty()) ||
                        (variable.is_array() && variable.before.find('(') == std::string::npos);
  const auto own = all.reductions.Find(
      all.scopes, at, name,
      is_array ? absl::StrCat(variable.specifiers, " ", ElementsOf(item, variable))
               : variable.Declare(""),
      FindReductionOperator(name) != nullptr ? Reductions::Name::kOperator
                                             : Reductions::Name::kIdentifier);
  if (!own.ok()) return own.status();
  reduced.declared = own->declared;
  reduced.is_type_known = own->is_type_known;
  if (own->declared && is_array) {
    return absl::InvalidArgumentError(absl::StrCat("no array behind reduction(", name, ":"));
  }
  if (!is_array) return reduced;
  reduced.item = item;
  reduced.form = !item.inner.empty() ? Form::kSpan
                 : item.is_section   ? Form::kSection
                                     : Form::kArray;
  if (reduced.form == Form::kSpan) {
    const auto written = WrittenItem(all, item, Pieces::kOne);
    if (!written.ok()) return written.status();
    reduced.item = *written;
  } else if (reduced.form == Form::kSection) {
    if (!item.lower.empty()) reduced.item.lower = all.scopes.Rewritten(item.lower);
    if (!item.length.empty()) reduced.item.length = all.scopes.Rewritten(item.length);
  } else {
    reduced.dimensions = DimensionsOf(variable.after);
  }
  // Elements in a row behind a pointer.
  if (reduced.form == Form::kArray || variable.is_array()) variable = PointerOf(variable);
  return reduced;
}

absl::Status AddReduction(Resolution& all, std::size_t at, const Clause& clause,
                          Privates& privates) {
  const auto reduction = ParseReduction(clause);
  if (!reduction.ok()) return reduction.status();
  privates.has_tasks |= reduction->has_tasks;
  for (const ListItem& item : reduction->items) {
    auto reduced = ReducedOf(all, at, reduction->name, item);
    if (!reduced.ok()) return reduced.status();
    privates.own.variables.push_back(reduced->variable);
    privates.variables.emplace_back(*std::move(reduced));
  }
  return absl::OkStatus();
}

}  // namespace

bool HasItem(const Directive& directive, std::string_view list, const std::string& name) {
  for (const Clause& clause : directive.clauses) {
    if (clause.name != list) continue;
    const auto items = ParseItems(clause);
    if (items.ok() && std::any_of(items->begin(), items->end(),
                                  [&](const ListItem& item) { return item.base == name; })) {
      return true;
    }
  }
  return false;
}

absl::Status AddPrivate(Resolution& all, const ListItem& item, PrivateVariable its,
                        Privates& privates) {
  const Variable* const found =
      its.kind == Kind::kPrivate ? all.scopes.FindDeclared(item.base) : all.scopes.Find(item.base);
  if (found == nullptr) {
    static constexpr const char* kNames[] = {"private", "firstprivate", "lastprivate", "linear",
                                             "the loop"};
    return absl::InvalidArgumentError(absl::StrCat("a declaration of ", item.base,
                                                   " in this file, for ",
                                                   kNames[static_cast<std::size_t>(its.kind)]));
  }
  its.shown = ShownOf(*found);
  its.variable = OwnOf(*found);
  its.variable.after = all.scopes.Rewritten(found->after);
  auto& own = privates.own.variables;
  its.is_declared = std::any_of(
      own.begin(), own.end(), [&](const Variable& each) { return each.name == its.variable.name; });
  if (!its.is_declared) own.push_back(its.variable);
  privates.variables.emplace_back(std::move(its));
  return absl::OkStatus();
}

absl::StatusOr<Privates> PrivatesOf(Resolution& all, const ParsedConstruct& construct,
                                    std::size_t part) {
  const Directive& directive = construct.directive;
  Privates privates;
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "reduction" && Takes(directive, part, clause.name)) {
      const absl::Status added = AddReduction(all, construct.at, clause, privates);
      if (!added.ok()) return added;
    }
    const auto kind = KindOf(clause.name);
    if (!kind) continue;
    Clause list = clause;
    std::string step = "1";
    if (const std::size_t colon = FindOutside(clause.text, ':');
        kind == Kind::kLinear && colon != std::string::npos) {
      step = all.scopes.Rewritten(Trimmed(std::string_view(clause.text).substr(colon + 1)));
      list.text = clause.text.substr(0, colon);
    }
    const auto items = ParseItems(list);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      // The loop runs in order, and this one's value is the variable's own.
      if (kind == Kind::kFirstPrivate && HasItem(directive, "conditional", item.base)) continue;
      // The value of one that is brought back is taken where it is brought back.
      const bool is_of_last =
          kind == Kind::kFirstPrivate && HasItem(directive, "lastprivate", item.base);
      if (!Takes(directive, part, is_of_last ? "lastprivate" : clause.name)) continue;
      PrivateVariable its;
      its.kind = *kind;
      its.step = step;
      its.waits = (is_of_last || kind == Kind::kLinear) && directive.parts[part] != "simd";
      const absl::Status added = AddPrivate(all, item, std::move(its), privates);
      if (!added.ok()) return added;
    }
  }
  return privates;
}

absl::StatusOr<Privates> ReductionsOf(Resolution& all, const ParsedConstruct& construct,
                                      std::size_t part) {
  Privates privates;
  for (const Clause& clause : construct.directive.clauses) {
    if (clause.name != "reduction" || !Takes(construct.directive, part, clause.name)) continue;
    const absl::Status added = AddReduction(all, construct.at, clause, privates);
    if (!added.ok()) return added;
  }
  return privates;
}

absl::StatusOr<Privates> ReductionsOfTask(Resolution& all, const ParsedConstruct& construct) {
  Privates privates;
  for (const Clause& clause : construct.directive.clauses) {
    if (clause.name != "reduction" && clause.name != "in_reduction") continue;
    const absl::Status added = AddReduction(all, construct.at, clause, privates);
    if (!added.ok()) return added;
  }
  privates.has_tasks = false;
  return privates;
}

absl::StatusOr<Privates> ScannedOf(Resolution& all, const ParsedConstruct& construct) {
  Privates privates;
  for (const Clause& clause : construct.directive.clauses) {
    if (clause.name != "inscan") continue;
    const absl::Status added = AddReduction(all, construct.at, clause, privates);
    if (!added.ok()) return added;
  }
  for (const Variable& variable : privates.own.variables) {
    if (variable.is_array()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no array in a reduction with inscan, as ", variable.name));
    }
  }
  return privates;
}

absl::StatusOr<ResolvedCode> ResolveInPrivates(Resolution& all, const Privates& privates,
                                               const ResolveBody& body) {
  const std::size_t depth = all.scopes.depth();
  all.scopes.Push(privates.own);
  all.scopes.innermost().end = all.source.text().size();
  auto code = body();
  all.scopes.Resize(depth);
  return code;
}

absl::StatusOr<ResolvedCode> ResolveWithPrivates(Resolution& all, const Privates& privates,
                                                 const ResolveBody& body) {
  if (privates.empty()) return body();
  auto code = ResolveInPrivates(all, privates, body);
  if (!code.ok()) return code;
  ResolvedCode its;
  its.Add(Region{PrivatesRegion{privates, *std::move(code)}});
  return its;
}

}  // namespace taskrt
