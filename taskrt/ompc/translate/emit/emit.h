// The third pass: the text of a program whose directives are regions. The functions of constructs'
// statements stand behind the function that they are in.
//
// Names in the text that are made of the program's x are ompc_ROLE_x. No other name, of the C
// interface or of a block, begins with ompc_ and one of these roles: at, first, last, reduced,
// element, own, count, lower, kept, initial, private, keep, section, call.
//
// Pure. Threads: any.
#pragma once

#include <string>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// `file`: the name of the source.
std::string Emit(const ResolvedProgram& program, const std::string& file);

}  // namespace taskrt
