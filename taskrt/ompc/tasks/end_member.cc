#include "taskrt/ompc/tasks/end_member.h"

#include <utility>
#include <vector>

#include "taskrt/ompc/data_environment/data_environment.h"
#include "taskrt/ompc/pointers/begun.h"

namespace taskrt {

absl::Status BringHome(PointerRuntime& runtime, OmpTask& task) {
  const KeepsTask keeps;
  DataEnvironment data(runtime);
  std::vector<PointerMap> mapped;
  if (task.extras != nullptr) mapped = std::exchange(task.extras->mapped, {});
  std::vector<const PointerMap*> maps;
  for (const PointerMap& map : mapped) maps.push_back(&map);
  if (RunningTask() != nullptr) {
    absl::Status status = data.ExitTarget(maps);
    if (task.is_implicit) status.Update(runtime.FirstError());
    return status;
  }
  absl::Status status = data.ExitReleased();
  if (data.HasRegions()) {
    status.Update(data.ExitTarget(maps));
    status.Update(runtime.FirstError());
    return status;
  }
  status.Update(runtime.EndRegion());
  return status;
}

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
