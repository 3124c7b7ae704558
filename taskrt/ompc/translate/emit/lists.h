// The lists of depend and map: C's arrays, or, where their lengths are known only when the
// construct is met, lists that are filled then (omp_depend.h).
//
// Pure. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// An expression of a block.
std::string TextOf(const DependBlock& block);

// A value: a section's first and last element, and how many it has.
struct Span {
  std::string first, last, count;
};
Span SpanOf(const ListItem& item);

// "void *name[] = {...}; "
std::string MapArray(const Lists& lists, const std::string& name);

// A value: the lists of depend as C's expressions, and statements that add to lists whose lengths
// are not known here.
struct DependText {
  std::vector<std::string> in, out;
  std::string filled;
};
DependText DependTextOf(const Lists& lists);
// Statements that add all of the elements to lists.
std::string AddedTo(const DependText& lists);
// C text that makes the lists of a task, names them as fields or arguments, and frees them.
std::string ListArrays(const DependText& lists);
std::string ListFields(const DependText& lists);
std::string ListArguments(const DependText& lists);
std::string ListsEnd(const DependText& lists);

}  // namespace taskrt
