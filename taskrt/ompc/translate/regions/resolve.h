// The second pass: the directives of a program become regions. The program is gone through in its
// order, with the variables that each place sees; the code of a construct whose function gets
// variables is gone through twice, first for the variables that it uses.
//
// Pure. Threads: any.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// `code`, `functions`: of all of the source. Errors: InvalidArgument, "file:line: expected ...";
// Aborted with the message of an error directive.
absl::StatusOr<ResolvedProgram> Resolve(const Source& source, const Code& code,
                                        const std::map<std::string, Function>& functions);

}  // namespace taskrt
