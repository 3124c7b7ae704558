// The one runtime of the C interface, which ompc_init begins.
//
// Threads: any.
#pragma once

#include "absl/status/status.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {

// Null: not between ompc_init and ompc_finish.
PointerRuntime* BegunRuntime();
absl::Status NotBegun();

// What a function of the interface returns; ompc_error's sentence is kept for the thread.
int Answer(const char* call, const absl::Status& status);

// OpenMP has no way to return an error: its sentence on standard error, and the end of the program.
void Require(const char* call, const absl::Status& status);

template <typename F>
int DoOnBegun(const char* call, F f) {
  const KeepsTask keeps;
  PointerRuntime* const runtime = BegunRuntime();
  return Answer(call, runtime == nullptr ? NotBegun() : f(*runtime));
}

// Of omp_task.h, at ompc_finish: no task of OpenMP is left.
void ForgetTasks();
// Of omp_graph.h, before the runtime's end.
void ForgetGraphs();
// The host has what the task's children on devices bring back; the program's blocks end, but in
// data regions. The runtime's first error.
absl::Status BringHome(PointerRuntime& runtime, OmpTask& task);

}  // namespace taskrt
