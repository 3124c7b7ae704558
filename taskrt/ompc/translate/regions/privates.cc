#include <algorithm>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {
namespace {

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

// A reduction's operator: its first value, and how a value is added. Empty: there is none.
struct Operator {
  std::string initial, combined;
};
Operator OperatorOf(const std::string& name, const std::string& out, const std::string& in) {
  const auto assigns = [&](const std::string& sign) {
    return absl::StrCat(out, " ", sign, "= ", in, ";");
  };
  if (name == "+" || name == "-") return {"0", assigns("+")};
  if (name == "|" || name == "^") return {"0", assigns(name)};
  if (name == "*") return {"1", assigns(name)};
  if (name == "&") return {"~0", assigns(name)};
  if (name == "&&") return {"1", absl::StrCat(out, " = ", out, " && ", in, ";")};
  if (name == "||") return {"0", absl::StrCat(out, " = ", out, " || ", in, ";")};
  if (name == "min") {
    return {absl::StrCat("OMPC_MOST(", out, ")"),
            absl::StrCat("if (", in, " < ", out, ") ", out, " = ", in, ";")};
  }
  if (name == "max") {
    return {absl::StrCat("OMPC_LEAST(", out, ")"),
            absl::StrCat("if (", in, " > ", out, ") ", out, " = ", in, ";")};
  }
  return {};
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

absl::Status Translator::AddPrivate(const ListItem& item, const std::string& kind, Privates& all) {
  const Variable* const found = kind == "private" ? FindDeclared(item.base) : Find(item.base);
  if (found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("a declaration of ", item.base, " in this file, for ", kind));
  }
  Variable variable = *found;
  variable.after = Rewritten(variable.after);
  const std::string& name = variable.name;
  const std::string shown = ShownOf(*found);
  variable.shown.clear();
  variable.is_static = variable.is_global = variable.is_shared = variable.is_threadprivate = false;
  auto& own = all.own.variables;
  const bool is_declared =
      std::any_of(own.begin(), own.end(), [&](const Variable& each) { return each.name == name; });
  const bool has_value = kind == "firstprivate" || kind == "linear";
  const std::string place = absl::StrCat("ompc_first_", name);
  if (has_value)
    absl::StrAppend(&all.before, "__typeof__(", shown, ") *", place, " = &(", shown, "); ");
  if (!is_declared) {
    absl::StrAppend(&all.declared, variable.Declare(name), "; (void)", name, "; ");
    own.push_back(variable);
  }
  if (has_value) {
    absl::StrAppend(&all.declared, "__builtin_memcpy((void *)&", name, ", (const void *)", place,
                    ", sizeof ", name, "); ");
  }
  if (kind == "lastprivate" || kind == "linear") {
    absl::StrAppend(&all.before, "__typeof__(", shown, ") *ompc_last_", name, " = &(", shown,
                    "); ");
    absl::StrAppend(&all.last, "__builtin_memcpy((void *)ompc_last_", name, ", (const void *)&",
                    name, ", sizeof ", name, "); ");
  }
  return absl::OkStatus();
}

absl::Status Translator::AddReduction(const Clause& clause, Privates& all) {
  const std::size_t colon = FindOutside(clause.text, ':');
  if (colon == std::string::npos) return absl::InvalidArgumentError("OPERATOR: in reduction");
  std::string name = Trimmed(std::string_view(clause.text).substr(0, colon));
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    const std::string modifier = Trimmed(std::string_view(name).substr(0, comma));
    if (modifier != "default" && modifier != "task") {
      return absl::InvalidArgumentError(absl::StrCat("no modifier ", modifier, " in reduction"));
    }
    all.has_tasks |= modifier == "task";
    name = Trimmed(std::string_view(name).substr(comma + 1));
  }
  const auto items = ParseItems({"reduction", clause.text.substr(colon + 1)});
  if (!items.ok()) return items.status();
  for (const ListItem& item : *items) {
    const Variable* const found = Find(item.base);
    if (found == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("a declaration of ", item.base, " in this file, for reduction"));
    }
    Variable variable = *found;
    const std::string shown = ShownOf(*found), word = variable.name;
    const std::string place = absl::StrCat("ompc_reduced_", word);
    variable.shown.clear();
    variable.is_static = variable.is_global = variable.is_shared = variable.is_threadprivate =
        false;
    const bool is_array = item.is_section || (variable.is_array() && variable.before.empty()) ||
                          (variable.is_array() && variable.before.find('(') == std::string::npos);
    const std::string element = absl::StrCat("ompc_element_", word);
    Operator its = OperatorOf(
        name, is_array ? absl::StrCat(element, "s[ompc_i]") : absl::StrCat("(*", place, ")"),
        is_array ? absl::StrCat("ompc_own_", word, "[ompc_i]") : word);
    const auto own =
        FindReduction(name,
                      is_array ? absl::StrCat(variable.specifiers, " ", ElementsOf(item, variable))
                               : variable.Declare(""),
                      its.combined.empty() ? ReductionName::kIdentifier : ReductionName::kOperator);
    if (!own.ok()) return own.status();
    if (const OwnReduction* const chosen = own->declared) {
      if (is_array)
        return absl::InvalidArgumentError(absl::StrCat("no array behind reduction(", name, ":"));
      if (!own->is_known) {
        std::string same;
        for (const std::string& type : chosen->types) {
          absl::StrAppend(&same, same.empty() ? "" : " || ",
                          "__builtin_types_compatible_p(__typeof__(", shown, "), ", type, ")");
        }
        absl::StrAppend(&all.before, "_Static_assert(", same, ", \"the type of declare reduction(",
                        name, "\"); ");
      }
      const std::map<std::string, std::string> words = {
          {"omp_out", absl::StrCat("(*", place, ")")},
          {"omp_orig", absl::StrCat("(*", place, ")")},
          {"omp_in", word},
          {"omp_priv", word}};
      its.combined = WithWords(chosen->combiner, words) + ";";
      const std::string initializer = WithWords(chosen->initializer, words);
      const std::size_t equals = FindOutside(initializer, '=');
      const bool is_value = equals != std::string::npos &&
                            Trimmed(std::string_view(initializer).substr(0, equals)) == word;
      absl::StrAppend(&all.before, "__typeof__(", shown, ") *", place, " = &(", shown, "); ");
      absl::StrAppend(&all.declared, variable.Declare(word), " = ",
                      is_value ? initializer.substr(equals + 1) : "{0}", "; ",
                      is_value || initializer.empty() ? "" : initializer + "; ");
    } else if (!is_array) {
      absl::StrAppend(&all.before, "__typeof__(", shown, ") *", place, " = &(", shown, "); ");
      absl::StrAppend(&all.declared, variable.Declare(word), " = ", its.initial, "; ");
    } else {
      // Elements in a row, and a copy of as many.
      const std::string count = absl::StrCat("ompc_count_", word),
                        copy = absl::StrCat("ompc_own_", word);
      std::string first = "0";
      if (!item.inner.empty()) {
        // From the first to the last; an element between them, which the section has not, is left.
        const auto written = WrittenItem(item, Pieces::kOne);
        if (!written.ok()) return written.status();
        const Span span = SpanOf(*written);
        std::string origin = absl::StrCat("(", shown, ")");
        for (std::size_t i = 0; i <= item.inner.size(); ++i) origin += "[0]";
        first = absl::StrCat("ompc_lower_", word);
        absl::StrAppend(&all.before, "__typeof__(", span.first, ") *", element, "s = &(",
                        span.first, "); const long ", first, " = ", element, "s - &", origin,
                        "; const unsigned long ", count, " = (unsigned long)(&(", span.last,
                        ") + 1 - ", element, "s); ");
        if (variable.is_array()) variable = PointerOf(variable);
      } else if (item.is_section) {
        if (!item.lower.empty()) first = Rewritten(item.lower);
        const std::string length =
            item.length.empty() ? absl::StrCat("sizeof(", shown, ") / sizeof((", shown, ")[0])")
                                : Rewritten(item.length);
        absl::StrAppend(&all.before, "__typeof__(&(", shown, ")[0]) ", element, "s = &(", shown,
                        ")[", first, "]; const long ompc_lower_", word, " = ", first,
                        "; const unsigned long ", count, " = ", length, "; ");
        if (variable.is_array()) variable = PointerOf(variable);
        first = absl::StrCat("ompc_lower_", word);
      } else {
        std::string scalar = absl::StrCat("(", shown, ")");
        for (std::size_t i = DimensionsOf(variable.after); i > 0; --i) scalar += "[0]";
        absl::StrAppend(&all.before, "__typeof__(", scalar, ") *", element, "s = &", scalar,
                        "; const unsigned long ", count, " = sizeof(", shown, ") / sizeof ", scalar,
                        "; ");
        variable = PointerOf(variable);
      }
      absl::StrAppend(&all.declared, "__typeof__(*", element, "s) ", copy, "[", count,
                      " + 1]; for (unsigned long ompc_i = 0; ompc_i < ", count, "; ++ompc_i) ",
                      copy, "[ompc_i] = ", its.initial, "; ", variable.Declare(word),
                      " = (void *)(", copy, " - ", first, "); ");
      const std::string changed =
          item.inner.empty() ? "" : absl::StrCat("if (", copy, "[ompc_i] != ", its.initial, ") { ");
      its.combined =
          absl::StrCat("for (unsigned long ompc_i = 0; ompc_i < ", count, "; ++ompc_i) { ", changed,
                       its.combined, changed.empty() ? " }" : " } }");
    }
    absl::StrAppend(&all.combined, its.combined, " ");
    all.own.variables.push_back(variable);
  }
  return absl::OkStatus();
}

// Of the clauses that this part of the construct has.
absl::StatusOr<Privates> Translator::PrivatesOf(const Directive& directive, std::size_t part) {
  Privates all;
  for (const Clause& clause : directive.clauses) {
    const std::string& kind = clause.name;
    if (kind == "reduction") {
      if (!Takes(directive, part, kind)) continue;
      if (absl::Status added = AddReduction(clause, all); !added.ok()) return added;
      continue;
    }
    if (kind != "private" && kind != "firstprivate" && kind != "lastprivate" && kind != "linear")
      continue;
    Clause list = clause;
    std::string step = "1";
    if (const std::size_t colon = FindOutside(clause.text, ':');
        kind == "linear" && colon != std::string::npos) {
      step = Rewritten(Trimmed(std::string_view(clause.text).substr(colon + 1)));
      list.text = clause.text.substr(0, colon);
    }
    const auto items = ParseItems(list);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      // The loop runs in order, and this one's value is the variable's own.
      if (kind == "firstprivate" && HasItem(directive, "conditional", item.base)) continue;
      // The value of one that is brought back is taken where it is brought back.
      const bool is_of_last =
          kind == "firstprivate" && HasItem(directive, "lastprivate", item.base);
      if (!Takes(directive, part, is_of_last ? "lastprivate" : kind)) continue;
      if (absl::Status added = AddPrivate(item, kind, all); !added.ok()) return added;
      // Before a member brings it back, all others have taken it.
      if ((is_of_last || kind == "linear") && directive.parts[part] != "simd")
        absl::StrAppend(&all.declared, "ompc_barrier(); ");
      if (kind != "linear") continue;
      absl::StrAppend(&all.declared, "const __typeof__(", item.base, ") ompc_kept_", item.base,
                      " = ", item.base, "; ");
      all.linear.emplace_back(item.base, step);
    }
  }
  return all;
}

// Of a task: each adds its own value when it ends.
absl::StatusOr<Privates> Translator::ReductionsOfTask(const Directive& directive) {
  Privates all;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "reduction" && clause.name != "in_reduction") continue;
    if (absl::Status added = AddReduction(clause, all); !added.ok()) return added;
  }
  all.has_tasks = false;
  return all;
}

// `head` comes before the block's own variables, `end` behind what is combined.
absl::Status Translator::InPrivates(const Privates& privates, const std::string& head,
                                    const std::string& end, const Body& body) {
  absl::StrAppend(&out_, " { ", privates.before, head, "{ ", privates.declared);
  const std::size_t depth = scopes_.size();
  scopes_.push_back(privates.own);
  scopes_.back().end = source_.text().size();
  if (absl::Status done = body(); !done.ok()) return done;
  scopes_.resize(depth);
  if (!privates.combined.empty()) {
    absl::StrAppend(&out_, privates.has_tasks ? " ompc_barrier();" : "", " ompc_reduce_begin(); ",
                    privates.combined, "ompc_reduce_end();");
  }
  absl::StrAppend(&out_, " ", end, "} }");
  return absl::OkStatus();
}

}  // namespace taskrt
