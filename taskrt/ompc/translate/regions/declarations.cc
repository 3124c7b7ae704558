#include "taskrt/ompc/translate/regions/declarations.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/parse.h"

namespace taskrt {

absl::StatusOr<ThreadPrivateRegion> ThreadPrivateOf(Resolution& all, const Directive& directive) {
  const auto items =
      ParseItems(directive.clauses.empty() ? Clause{"threadprivate", ""} : directive.clauses[0]);
  if (!items.ok()) return items.status();
  ThreadPrivateRegion region;
  region.is_of_file = all.scopes.depth() == 0;
  auto& variables = all.scopes.innermost().variables;
  for (const ListItem& item : *items) {
    const Variable* found = nullptr;
    for (const Variable& variable : variables) {
      if (variable.name == item.base) found = &variable;
    }
    if (found == nullptr || (!region.is_of_file && !found->is_static)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a declaration of ", item.base, " in this scope, for threadprivate"));
    }
    const std::string name = found->name;
    for (Variable& variable : variables) {  // It may be declared several times.
      if (variable.name != name) continue;
      variable.is_threadprivate = true;
      variable.shown = region.is_of_file
                           ? absl::StrCat("(*(__typeof__(", name,
                                          ") *)ompc_threadprivate_of(&ompc_private_", name, "))")
                           : absl::StrCat("(*(__typeof__(", name, ") *)ompc_threadprivate_at(&",
                                          name, ", sizeof ", name, "))");
    }
    region.names.push_back(name);
  }
  return region;
}

absl::Status DeclareTarget(Resolution& all, const Directive& directive) {
  bool has_list = false;
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "device_type") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    has_list = true;
    for (const ListItem& item : *items) {
      for (Variable& variable : all.scopes.globals().variables) {
        if (variable.name == item.base) variable.is_declared_target = true;
      }
    }
  }
  if (!has_list) all.is_declaring_target = directive.name != "end declare target";
  return absl::OkStatus();
}

}  // namespace taskrt
