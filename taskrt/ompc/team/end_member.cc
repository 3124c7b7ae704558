#include "taskrt/ompc/team/end_member.h"

#include "taskrt/ompc/begun.h"

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
