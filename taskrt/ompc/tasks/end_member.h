// The end of a member's part of a region, and of its part before a barrier.
#pragma once

#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {

// All tasks of its subtree have ended, and the program's data are home. An error of the runtime
// ends the program, with its sentence.
void FinishTasks(ImplicitTask& task);
// The same; the task is over.
void EndMember(ImplicitTask& task);

}  // namespace taskrt
