// Functions of the C interface that need the runtime which ompc_init begins.
//
// Threads: any.
#pragma once

#include "taskrt/ompc/pointers/begun.h"
#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {

// Calls `f(runtime)`, and returns what the function `call` of the interface returns.
// FailedPrecondition: ompc_init was not called.
template <typename F>
int DoOnBegun(const char* call, F f) {
  const KeepsTask keeps;
  PointerRuntime* const runtime = BegunRuntime();
  return Answer(call, runtime == nullptr ? NotBegun() : f(*runtime));
}

}  // namespace taskrt
