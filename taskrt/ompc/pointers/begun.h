// The one runtime of the C interface, which ompc_init begins, and the errors of its functions.
//
// Threads: any.
#pragma once

#include "absl/status/status.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"

namespace taskrt {

// Null: not between ompc_init and ompc_finish.
PointerRuntime* BegunRuntime();
void SetBegunRuntime(PointerRuntime* runtime);
absl::Status NotBegun();

// The result of a function of the interface; the error's sentence is kept for the thread.
int Answer(const char* call, const absl::Status& status);
// That sentence, until the thread's next error.
const char* LastError();

// OpenMP has no way to return an error: its sentence on standard error, and the end of the program.
void Require(const char* call, const absl::Status& status);

}  // namespace taskrt
