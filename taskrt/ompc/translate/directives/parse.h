// The words of OpenMP's directives that the translator knows, as values (directive.h): tasks,
// targets, and the constructs around them.
//
// Pure; any thread. Errors: InvalidArgument with what was expected, no file.
// Source: [WLBS20] section 2.4, Programs 1 and 2.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/directives/directive.h"

namespace taskrt {

// `text`: the words behind "#pragma omp".
absl::StatusOr<Directive> ParseDirective(std::string_view text);
absl::StatusOr<ListItem> ParseListItem(std::string_view text);
absl::StatusOr<ItemList> ParseDepend(const Clause& clause);
// `text`: the iterators between the parentheses of iterator(...).
absl::StatusOr<std::vector<Iterator>> ParseIterators(std::string_view text);
absl::StatusOr<ItemList> ParseMap(const Clause& clause);
// Of a clause that has nothing but a list: private, to, ...
absl::StatusOr<std::vector<ListItem>> ParseItems(const Clause& clause);
absl::StatusOr<Variant> ParseVariant(const Directive& directive);

}  // namespace taskrt
