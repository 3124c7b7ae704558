// The creation of OpenMP's tasks, as the C functions say it (omp_calls.h): as lightweight threads,
// and, where they have dependencies or are for devices, as tasks of the runtime.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {

// The task that a call comes from. A function of a kernel, or of ompc.h's tasks, is one of its own.
class Creator {
 public:
  Creator() : task_(KeptTask()), running_(RunningTask()) {}

  // Null: the program, or its part of a region.
  OmpTask* running() const { return running_; }
  OmpTask& task() const { return task_; }
  // A child of the runtime's, until it has ended.
  void Keep(const std::shared_ptr<OmpChild>& child) const {
    if (child->group != nullptr) child->group->Add(child);
    task_.its().children.Add(child);
  }

 private:
  OmpTask& task_;
  OmpTask* const running_;
};

template <typename T>
std::span<T const> Span(int count, T const* all) {
  return {all, static_cast<std::size_t>(count < 0 || all == nullptr ? 0 : count)};
}

std::vector<const PointerMap*> MapsOf(int count, void* const* maps);

// Does the task defer tasks that it creates?
inline bool Defers(const OmpTask& creator) {
  return !creator.is_final && creator.implicit->size > 1;
}
// Does a task run its children at once, in its own place?
enum class TaskType { kUsual, kFinal };
// By a flag of the C functions.
inline TaskType TypeOf(int is_final) { return is_final != 0 ? TaskType::kFinal : TaskType::kUsual; }
// A task without dependencies and maps; `creator`: ThisTask's.
void CreateTask(const ompc_task& what, OmpTask& creator);
// A task of ThisTask's that is not deferred and has neither: it runs now.
void RunTask(ompc_function function, void* const* args, TaskType type);
// A task with dependencies, on the host.
absl::Status CreateOnHost(PointerRuntime& runtime, const ompc_task& what, const Creator& creator);
// A task for devices, or on the host with maps.
absl::Status CreateOnDevice(PointerRuntime& runtime, const ompc_task& what, const Creator& creator);

}  // namespace taskrt
