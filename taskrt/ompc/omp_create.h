// The creation of OpenMP's tasks, as the C functions say it (omp_calls.h): for the host and for
// devices.
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
#include "taskrt/ompc/omp_task.h"
#include "taskrt/ompc/pointer_runtime.h"

namespace taskrt {

// The program itself, for what is created outside of tasks.
OmpTask& ProgramTask();

// The task of OpenMP that a call comes from, or the program itself. A function of ompc.h's tasks is
// neither: nobody can wait for its children.
class Creator {
 public:
  explicit Creator(PointerRuntime& runtime)
      : running_(CurrentTask()), is_program_(running_ == nullptr && !runtime.IsInTask()) {}

  OmpTask* running() const { return running_; }
  // Null: nobody's.
  OmpTask* task() const {
    return running_ != nullptr ? running_ : is_program_ ? &ProgramTask() : nullptr;
  }
  void Adopt(OmpChild& child) const {
    const OmpTask* const parent = task();
    if (parent == nullptr) return;
    child.task.is_final = parent->is_final;
    child.task.held = parent->held;
    child.task.group = parent->innermost();
  }
  void Keep(const std::shared_ptr<OmpChild>& child) const {
    if (child->task.group != nullptr) child->task.group->Add(child);
    OmpTask* const parent = task();
    if (parent == nullptr) return LeaveChild(child);
    parent->children.Add(child);
  }

 private:
  OmpTask* const running_;
  const bool is_program_;
};

template <typename T>
std::span<T const> Span(int count, T const* all) {
  return {all, static_cast<std::size_t>(count < 0 || all == nullptr ? 0 : count)};
}

std::vector<const PointerMap*> MapsOf(int count, void* const* maps);

absl::Status CreateOnHost(PointerRuntime& runtime, const ompc_task& what, const Creator& creator);
// A task for devices, or on the host with maps.
absl::Status CreateOnDevice(PointerRuntime& runtime, const ompc_task& what, const Creator& creator);

}  // namespace taskrt
