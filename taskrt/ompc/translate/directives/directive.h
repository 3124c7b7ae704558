// The directives of OpenMP as values: their clauses, and the lists of these.
//
// Pure.
// Source: [WLBS20] section 2.4, Programs 1 and 2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taskrt {

// A value: name(text), or a name alone. lastprivate(conditional: list) has the name conditional,
// and reduction(inscan, operator: list) the name inscan.
struct Clause {
  std::string name, text;
};

// A value.
struct Directive {
  std::string name;                // "task", "declare variant", "parallel for", ...
  std::vector<std::string> parts;  // of a combined one, the outermost first; else its name
  std::vector<Clause> clauses;     // that have an effect

  bool Has(std::string_view clause) const { return Find(clause) != nullptr; }
  // The first; null: none.
  const Clause* Find(std::string_view clause) const {
    for (const Clause& each : clauses) {
      if (each.name == clause) return &each;
    }
    return nullptr;
  }
};

// A value: [lower:length], as they were written; empty where they were not.
struct Range {
  std::string lower, length;
};
// A value: an element of depend's or map's list: `base`, or base[lower:length], and so on for
// further dimensions.
struct ListItem {
  std::string base;
  bool is_section = false;
  std::string lower, length;  // of the first brackets with a section
  std::vector<Range> inner;   // of the brackets behind them
};

// A value: "i = begin:end:step" of iterator(...); the step may be empty.
struct Iterator {
  std::string declared;  // "int i"
  std::string begin, end, step;
};
// A value: what `depend` and `map` say.
struct ItemList {
  // in, out, inout, depobj; map's to, from and tofrom are these; alloc, release, delete
  std::string type;
  std::vector<ListItem> items;
  std::vector<Iterator> iterators;
};

// A value: of a declare variant, `base` is the function for which another runs on `device`.
struct Variant {
  std::string base, device;
};

}  // namespace taskrt
