#include "taskrt/ompc/tasks/end_member.h"

#include "taskrt/ompc/pointers/begun.h"

namespace taskrt {

void FinishTasks(ImplicitTask& task) {
  WaitForSubtree(task);
  PointerRuntime* const runtime = BegunRuntime();
  if (runtime == nullptr) return;
  Require("barrier", BringHome(*runtime, task));
}

void EndMember(ImplicitTask& task) {
  FinishTasks(task);
  EndTask(task);
}

}  // namespace taskrt
