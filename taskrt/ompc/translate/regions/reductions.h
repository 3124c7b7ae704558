// The reductions that a program declares, which are found by their name, an operator's too, and the
// variable's type.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.21.5.7.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/scopes.h"

namespace taskrt {

// A value: an operator of the language. `first`: the value that a reduction begins with, where it
// is no limit of the variable's type.
struct ReductionOperator {
  enum class Way {
    kAssign,   // x SIGN= y
    kJoin,     // x = x SIGN y
    kLeast,    // the lesser one
    kGreatest  // the greater one
  };
  std::string_view name, sign, first;
  Way way = Way::kAssign;
};
// Null: there is none of that name.
const ReductionOperator* FindReductionOperator(std::string_view name);

class Reductions {
 public:
  // (IDENTIFIER : TYPES : COMBINER) initializer(...)
  absl::Status Declare(const Scopes& scopes, const Directive& directive);

  // A reduction is named by an operator of the language, or by an identifier.
  enum class Name { kIdentifier, kOperator };
  struct Found {
    std::optional<OwnReduction> declared;  // none: it is the operator's
    bool is_type_known = false;            // the text says that the types are the same
  };
  // For a use at place `at` of the text; `type`: the variable's, or its elements'.
  absl::StatusOr<Found> Find(const Scopes& scopes, std::size_t at, const std::string& name,
                             const std::string& type, Name kind) const;

 private:
  std::map<std::string, std::vector<OwnReduction>> declared_;  // by identifier
};

}  // namespace taskrt
