// The functions of constructs' statements, and the arguments that they get.
//
// Pure. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// A value: C's arrays of what a task is created with.
struct Arguments {
  std::vector<std::string> args, copied;
  unsigned long saved = 0;  // bit i: of argument i, the value that a taskgraph has recorded
};
Arguments ArgumentsOf(const std::vector<Capture>& captures);
std::string ArgumentArrays(const Arguments& arguments);
// The fields of struct ompc_task that name them.
std::string ArgumentFields(const Arguments& arguments);

// "SCALARS, AGGREGATES" for the macros of omp.h.
std::string TextOf(const DefaultMap& map);

std::string FunctionName(const OutlinedFunction& function);
// Its definition; `body`: the text of its body.
std::string TextOf(const OutlinedFunction& function, const std::string& body);

}  // namespace taskrt
