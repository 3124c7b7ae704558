// The lists of depend and map, and depend objects.
//
// Pure. Threads: one. Source: OpenMP 5.1, sections 2.19.10, 2.19.11 and 2.21.7.
#pragma once

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// A value: the variables that a target's statement may change: it assigns to them, or passes arrays
// to calls. Where a map takes such a variable to the device alone, its value on the host is lost.
struct Changed {
  std::set<std::string> assigned, passed;
};

// The item as it is written at this place, with its sections, which lie in any memory, or each in
// one piece. Errors: InvalidArgument.
enum class Pieces { kAny, kOne };
absl::StatusOr<ListItem> WrittenItem(Resolution& all, ListItem item, Pieces pieces);

absl::StatusOr<Lists> ListsOf(Resolution& all, const Directive& directive,
                              const Changed& changed = {});
// The lists of the clauses of one name.
absl::StatusOr<Lists> ListsOf(Resolution& all, const Directive& directive, std::string_view clause);
// depobj(o) with depend(TYPE: item), update(TYPE) or destroy.
absl::StatusOr<DependObjectRegion> DependObjectOf(Resolution& all, const Directive& directive);

}  // namespace taskrt
