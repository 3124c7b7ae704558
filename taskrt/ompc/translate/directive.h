// The words of OpenMP's directives that the translator knows: tasks, targets, and what is around
// them.
//
// Pure. Threads: any. Source: [WLBS20] section 2.4, Programs 1 and 2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace taskrt {

// A value: name(text), or a name alone.
struct Clause {
  std::string name, text;
};

// A value.
struct Directive {
  std::string name;  // "task", "declare variant", ...
  std::vector<Clause> clauses;

  bool Has(std::string_view clause) const { return Find(clause) != nullptr; }
  // The first; null: none.
  const Clause* Find(std::string_view clause) const {
    for (const Clause& each : clauses) {
      if (each.name == clause) return &each;
    }
    return nullptr;
  }
};

// `text`: what is behind "#pragma omp". Errors: InvalidArgument with what was expected, no file.
absl::StatusOr<Directive> ParseDirective(std::string_view text);

// A value: an element of depend's or map's list: `base`, or base[lower:length].
struct ListItem {
  std::string base;
  bool is_section = false;
  std::string lower, length;  // as they were written; empty where they were not
};
absl::StatusOr<ListItem> ParseListItem(std::string_view text);

// A value: what `depend` and `map` say.
struct ItemList {
  std::string type;  // in, out, inout; map's to, from and tofrom are these; alloc, release, delete
  std::vector<ListItem> items;
};
absl::StatusOr<ItemList> ParseDepend(const Clause& clause);
absl::StatusOr<ItemList> ParseMap(const Clause& clause);
// Of a clause that has nothing but a list: private, to, ...
absl::StatusOr<std::vector<ListItem>> ParseItems(const Clause& clause);

// A value: of a declare variant, `base` is the function for which another runs on `device`.
struct Variant {
  std::string base, device;
};
absl::StatusOr<Variant> ParseVariant(const Directive& directive);

}  // namespace taskrt
