// The variables that a construct's clauses declare anew: private, firstprivate, lastprivate, linear
// and reductions.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.21.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// Does a clause of this name list the variable?
bool HasItem(const Directive& directive, std::string_view clause, const std::string& name);

// Of the clauses that this part of the construct has.
absl::StatusOr<Privates> PrivatesOf(Resolution& all, const ParsedConstruct& construct,
                                    std::size_t part);
// Of its reductions alone.
absl::StatusOr<Privates> ReductionsOf(Resolution& all, const ParsedConstruct& construct,
                                      std::size_t part);
// Of a task: each adds its own value when it ends.
absl::StatusOr<Privates> ReductionsOfTask(Resolution& all, const ParsedConstruct& construct);
// Of a loop's inscan. The input phase of an iteration adds to a private variable, which begins at
// the operator's first value. The variable outside holds the sum so far. The scan phase reads it:
// behind an inclusive scan, before an exclusive one.
absl::StatusOr<Privates> ScannedOf(Resolution& all, const ParsedConstruct& construct);

// One variable of a list; `its` says how it is declared.
absl::Status AddPrivate(Resolution& all, const ListItem& item, PrivateVariable its,
                        Privates& privates);

// Resolves the code in a block that declares the variables.
absl::StatusOr<ResolvedCode> ResolveInPrivates(Resolution& all, const Privates& privates,
                                               const ResolveBody& body);

// The code in such a block where there are variables, else as it is.
absl::StatusOr<ResolvedCode> ResolveWithPrivates(Resolution& all, const Privates& privates,
                                                 const ResolveBody& body);

}  // namespace taskrt
