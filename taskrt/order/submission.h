// A task as it is submitted, before it is one.
#pragma once

#include <cstddef>
#include <span>

#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/order/task.h"
#include "taskrt/task_options.h"

namespace taskrt {

// A value.
struct Submission {
  const Kernel& kernel;
  std::span<const Access> accesses;
  std::span<const std::byte> scalars = {};
  const TaskOptions& options = kNoTaskOptions;
};

// Adds the accesses to the task. A broken contract: a block twice, or one that has ended. Under
// TaskOrder's lock.
void AddAccesses(Task& task, std::span<const Access> accesses);

}  // namespace taskrt
