#include <string>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

absl::Status Translator::Declare(const Directive& directive) {
  const std::string& name = directive.name;
  if (name == "threadprivate") return ThreadPrivate(directive);
  if (name == "declare variant") return AddVariant(directive);
  if (name == "declare reduction") return DeclareReduction(directive);
  if (name == "declare simd") return absl::OkStatus();
  return DeclareTarget(directive);
}

// A variable's word becomes that of the calling thread's copy. The variables of a file have a
// record that is found once; the copies of a function's are looked up by its place, as tasks'
// functions know no more of it.
absl::Status Translator::ThreadPrivate(const Directive& directive) {
  const auto items =
      ParseItems(directive.clauses.empty() ? Clause{"threadprivate", ""} : directive.clauses[0]);
  if (!items.ok()) return items.status();
  for (const ListItem& item : *items) {
    Variable* found = nullptr;
    auto& variables = scopes_.empty() ? globals_.variables : scopes_.back().variables;
    for (Variable& variable : variables) {
      if (variable.name == item.base) found = &variable;
    }
    if (found == nullptr || (!scopes_.empty() && !found->is_static)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a declaration of ", item.base, " in this scope, for threadprivate"));
    }
    const std::string& name = found->name;
    for (Variable& variable : variables) {  // It may be declared several times.
      if (variable.name != name) continue;
      variable.is_threadprivate = true;
      variable.shown = scopes_.empty()
                           ? absl::StrCat("(*(__typeof__(", name,
                                          ") *)ompc_threadprivate_of(&ompc_private_", name, "))")
                           : absl::StrCat("(*(__typeof__(", name, ") *)ompc_threadprivate_at(&",
                                          name, ", sizeof ", name, "))");
    }
    if (scopes_.empty()) {
      absl::StrAppend(&out_, " static struct ompc_threadprivate ompc_private_", name,
                      " = {(void *)&", name, ", sizeof ", name,
                      ", 0}; __attribute__((constructor)) static void ompc_keep_", name,
                      "(void) { ompc_threadprivate_keep(&ompc_private_", name, "); }");
    } else {
      absl::StrAppend(&out_, " (void)ompc_threadprivate_at(&", name, ", sizeof ", name, ");");
    }
  }
  return absl::OkStatus();
}

// Its functions are the host's, which simulated devices call, too; its variables are the host's.
absl::Status Translator::DeclareTarget(const Directive& directive) {
  bool has_list = false;
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "device_type") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    has_list = true;
    for (const ListItem& item : *items) {
      for (Variable& variable : globals_.variables) {
        if (variable.name == item.base) variable.is_declared_target = true;
      }
    }
  }
  if (!has_list) is_declaring_target_ = directive.name != "end declare target";
  return absl::OkStatus();
}

// The variant's declaration follows.
absl::Status Translator::AddVariant(const Directive& directive) {
  const auto variant = ParseVariant(directive);
  if (!variant.ok()) return variant.status();
  const std::size_t start = source_.AfterSpace(at_);
  const std::string rest(source_.text().substr(start));
  const Declaration declaration = ParseDeclaration(rest.substr(0, rest.find_first_of(";{")));
  if (declaration.name.empty()) {
    return absl::InvalidArgumentError("the variant's declaration behind declare variant");
  }
  variants_[variant->base][variant->device] = declaration.name;
  return absl::OkStatus();
}

}  // namespace taskrt
