// Clauses of one directive that contradict each other.
//
// Pure. Threads: any. Source: OpenMP 5.1, section 2.21.4.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "taskrt/ompc/translate/directives/directive.h"

namespace taskrt {

// `clauses`: as they were written, those without effect too. Errors: InvalidArgument, as
// ParseDirective: a clause that there is one of twice, an expression that is missing, or a variable
// in clauses that say different things of it.
absl::Status CheckClauses(const Directive& directive, std::span<const Clause> clauses);

}  // namespace taskrt
