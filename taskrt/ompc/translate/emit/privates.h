// The text of a block that declares the variables of a construct's clauses anew.
//
// Pure. Threads: any.
#pragma once

#include <string>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// A value: statements.
struct PrivatesText {
  std::string before;      // in the block outside: where the variables are
  std::string declared;    // in the block
  std::string last;        // where the last iteration, or section, was run
  std::string combined;    // of reductions, at the end
  bool has_tasks = false;  // that take part in a reduction
};
PrivatesText PrivatesTextOf(const Privates& privates);

// The block. `head` comes before its own variables, `end` behind what is combined.
std::string InPrivates(const PrivatesText& privates, const std::string& head,
                       const std::string& end, const std::string& body);
// `body`, in the block where there are variables.
std::string WithPrivates(const Privates& privates, const std::string& body);

}  // namespace taskrt
