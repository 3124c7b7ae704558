// The end of a member's part of a region, and of its part before a barrier.
#pragma once

#include "absl/status/status.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {

// The host has the values that the task's children on devices bring back; the program's blocks end,
// but in data regions. Returns the runtime's first error.
absl::Status BringHome(PointerRuntime& runtime, OmpTask& task);
// All tasks of its subtree have ended, and the program's data are home. An error of the runtime
// ends the program, with its sentence.
void FinishTasks(ImplicitTask& task);
// The same; the task is over.
void EndMember(ImplicitTask& task);

}  // namespace taskrt
