#include "taskrt/ompc/translate/emit/privates.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/emit/lists.h"
#include "taskrt/ompc/translate/regions/reductions.h"

namespace taskrt {
namespace {

using Form = ReducedVariable::Form;

// A reduction by an operator: its first value, and how a value is added.
struct OperatorText {
  std::string initial, combined;
};
OperatorText OperatorTextOf(const std::string& name, const std::string& out,
                            const std::string& in) {
  using Way = ReductionOperator::Way;
  const ReductionOperator& its = *FindReductionOperator(name);
  const std::string first(its.first), sign(its.sign);
  switch (its.way) {
    case Way::kAssign:
      return {first, absl::StrCat(out, " ", sign, "= ", in, ";")};
    case Way::kJoin:
      return {first, absl::StrCat(out, " = ", out, " ", sign, " ", in, ";")};
    case Way::kLeast:
      return {absl::StrCat("OMPC_MOST(", out, ")"),
              absl::StrCat("if (", in, " < ", out, ") ", out, " = ", in, ";")};
    case Way::kGreatest:
      break;
  }
  return {absl::StrCat("OMPC_LEAST(", out, ")"),
          absl::StrCat("if (", in, " > ", out, ") ", out, " = ", in, ";")};
}

void Add(const PrivateVariable& its, PrivatesText& text) {
  using Kind = PrivateVariable::Kind;
  const std::string& name = its.variable.name;
  const bool has_value = its.kind == Kind::kFirstPrivate || its.kind == Kind::kLinear;
  const bool is_last = its.kind == Kind::kLastPrivate || its.kind == Kind::kLinear;
  const auto place = [&](const std::string& role) {
    absl::StrAppend(&text.before, "__typeof__(", its.shown, ") *ompc_", role, "_", name, " = &(",
                    its.shown, "); ");
  };
  if (its.kind == Kind::kLoop) {
    absl::StrAppend(&text.declared, its.variable.Declare(name), "; ");
    return;
  }
  if (has_value) place("first");
  if (!its.is_declared) {
    absl::StrAppend(&text.declared, its.variable.Declare(name), "; (void)", name, "; ");
  }
  if (has_value) {
    absl::StrAppend(&text.declared, "__builtin_memcpy((void *)&", name,
                    ", (const void *)ompc_first_", name, ", sizeof ", name, "); ");
  }
  if (is_last) {
    place("last");
    // A loop leaves its variable one step behind.
    if (its.loop) absl::StrAppend(&text.last, name, " += ompc_step", *its.loop, "; ");
    absl::StrAppend(&text.last, "__builtin_memcpy((void *)ompc_last_", name, ", (const void *)&",
                    name, ", sizeof ", name, "); ");
  }
  if (its.waits) text.declared += "ompc_barrier(); ";
  if (its.kind == Kind::kLinear) {
    absl::StrAppend(&text.declared, "const __typeof__(", name, ") ompc_kept_", name, " = ", name,
                    "; ");
  }
}

void AddDeclared(const ReducedVariable& its, PrivatesText& text) {
  const std::string& word = its.variable.name;
  const std::string place = absl::StrCat("ompc_reduced_", word);
  if (!its.is_type_known) {
    std::string same;
    for (const std::string& type : its.declared->types) {
      absl::StrAppend(&same, same.empty() ? "" : " || ", "__builtin_types_compatible_p(__typeof__(",
                      its.shown, "), ", type, ")");
    }
    absl::StrAppend(&text.before, "_Static_assert(", same, ", \"the type of declare reduction(",
                    its.name, "\"); ");
  }
  const auto words = [&](const std::string& name) -> std::string {
    if (name == "omp_out" || name == "omp_orig") return absl::StrCat("(*", place, ")");
    return name == "omp_in" || name == "omp_priv" ? word : "";
  };
  const std::string initializer = WithWords(its.declared->initializer, words);
  const std::size_t equals = FindOutside(initializer, '=');
  const bool is_value = equals != std::string::npos &&
                        Trimmed(std::string_view(initializer).substr(0, equals)) == word;
  absl::StrAppend(&text.before, "__typeof__(", its.shown, ") *", place, " = &(", its.shown, "); ");
  absl::StrAppend(&text.declared, its.variable.Declare(word), " = ",
                  is_value ? initializer.substr(equals + 1) : "{0}", "; ",
                  is_value || initializer.empty() ? "" : initializer + "; ");
  absl::StrAppend(&text.combined, WithWords(its.declared->combiner, words), "; ");
}

void AddScalar(const ReducedVariable& its, PrivatesText& text) {
  const std::string& word = its.variable.name;
  const std::string place = absl::StrCat("ompc_reduced_", word);
  const OperatorText op = OperatorTextOf(its.name, absl::StrCat("(*", place, ")"), word);
  absl::StrAppend(&text.before, "__typeof__(", its.shown, ") *", place, " = &(", its.shown, "); ");
  absl::StrAppend(&text.declared, its.variable.Declare(word), " = ", op.initial, "; ");
  absl::StrAppend(&text.combined, op.combined, " ");
}

// Where the elements are that are reduced, the number of the first one, and how many there are.
// Returns the name of the first one's number.
std::string AddElements(const ReducedVariable& its, PrivatesText& text) {
  const std::string &word = its.variable.name, &shown = its.shown;
  const std::string elements = absl::StrCat("ompc_element_", word, "s"),
                    count = absl::StrCat("ompc_count_", word),
                    lower = absl::StrCat("ompc_lower_", word);
  if (its.form == Form::kSpan) {
    // From the first to the last; an element between them, which the section has not, is left.
    const Span span = SpanOf(its.item);
    std::string origin = absl::StrCat("(", shown, ")");
    for (std::size_t i = 0; i <= its.item.inner.size(); ++i) origin += "[0]";
    absl::StrAppend(&text.before, "__typeof__(", span.first, ") *", elements, " = &(", span.first,
                    "); const long ", lower, " = ", elements, " - &", origin,
                    "; const unsigned long ", count, " = (unsigned long)(&(", span.last, ") + 1 - ",
                    elements, "); ");
    return lower;
  }
  if (its.form == Form::kSection) {
    const std::string first = its.item.lower.empty() ? "0" : its.item.lower;
    const std::string length = its.item.length.empty()
                                   ? absl::StrCat("sizeof(", shown, ") / sizeof((", shown, ")[0])")
                                   : its.item.length;
    absl::StrAppend(&text.before, "__typeof__(&(", shown, ")[0]) ", elements, " = &(", shown, ")[",
                    first, "]; const long ", lower, " = ", first, "; const unsigned long ", count,
                    " = ", length, "; ");
    return lower;
  }
  std::string scalar = absl::StrCat("(", shown, ")");
  for (std::size_t i = its.dimensions; i > 0; --i) scalar += "[0]";
  absl::StrAppend(&text.before, "__typeof__(", scalar, ") *", elements, " = &", scalar,
                  "; const unsigned long ", count, " = sizeof(", shown, ") / sizeof ", scalar,
                  "; ");
  return "0";
}

// Elements in a row, and a copy of as many.
void AddArray(const ReducedVariable& its, PrivatesText& text) {
  const std::string& word = its.variable.name;
  const std::string elements = absl::StrCat("ompc_element_", word, "s"),
                    count = absl::StrCat("ompc_count_", word),
                    copy = absl::StrCat("ompc_own_", word);
  const std::string first = AddElements(its, text);
  const OperatorText op =
      OperatorTextOf(its.name, absl::StrCat(elements, "[ompc_i]"), absl::StrCat(copy, "[ompc_i]"));
  absl::StrAppend(&text.declared, "__typeof__(*", elements, ") ", copy, "[", count,
                  " + 1]; for (unsigned long ompc_i = 0; ompc_i < ", count, "; ++ompc_i) ", copy,
                  "[ompc_i] = ", op.initial, "; ", its.variable.Declare(word), " = (void *)(", copy,
                  " - ", first, "); ");
  const bool has_gaps = its.form == Form::kSpan;
  absl::StrAppend(&text.combined, "for (unsigned long ompc_i = 0; ompc_i < ", count,
                  "; ++ompc_i) { ",
                  has_gaps ? absl::StrCat("if (", copy, "[ompc_i] != ", op.initial, ") { ") : "",
                  op.combined, has_gaps ? " } }" : " }", " ");
}

void Add(const ReducedVariable& its, PrivatesText& text) {
  if (its.declared) {
    AddDeclared(its, text);
  } else if (its.form == Form::kScalar) {
    AddScalar(its, text);
  } else {
    AddArray(its, text);
  }
}

}  // namespace

PrivatesText PrivatesTextOf(const Privates& privates) {
  PrivatesText text;
  text.has_tasks = privates.has_tasks;
  for (const auto& variable : privates.variables) {
    std::visit([&](const auto& its) { Add(its, text); }, variable);
  }
  return text;
}

std::string InPrivates(const PrivatesText& privates, const std::string& head,
                       const std::string& end, const std::string& body) {
  const std::string combined =
      privates.combined.empty()
          ? ""
          : absl::StrCat(privates.has_tasks ? " ompc_barrier();" : "", " ompc_reduce_begin(); ",
                         privates.combined, "ompc_reduce_end();");
  return absl::StrCat(" { ", privates.before, head, "{ ", privates.declared, body, combined, " ",
                      end, "} }");
}

std::string WithPrivates(const Privates& privates, const std::string& body) {
  return privates.empty() ? body : InPrivates(PrivatesTextOf(privates), "", "", body);
}

}  // namespace taskrt
