// The pragmas of a text: one plain line each before the translation, and none of OpenMP behind it.
//
// Pure. Threads: any. Source: C11, sections 5.1.1.2, 6.4.6 and 6.10.9.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {

// The text with as many lines, in which each pragma is "#pragma ..." on one line, however its lines
// are continued, wherever comments are, and with %: for #. Other digraphs become brackets.
std::string WithPlainPragmas(std::string_view text);

// `translation`: the whole of it, with its #line markers. A directive that is left in it would be
// silence to a compiler without OpenMP. Errors: InvalidArgument, with the directive's place.
absl::Status HasNoPragmas(const Source& translation);

}  // namespace taskrt
