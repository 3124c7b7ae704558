// The third pass: the text of a program whose directives are regions. The functions of constructs'
// statements stand behind the function that they are in.
//
// Names in the text: ompc_ROLE_x is made of the program's x, and no function of the C interface and
// no other variable of a block begins with its ROLE: at, first, last, reduced, element, own, count,
// lower, private, keep, section, call.
//
// Pure. Threads: any.
#pragma once

#include <string>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// `file`: the name of the source.
std::string Emit(const ResolvedProgram& program, const std::string& file);

}  // namespace taskrt
