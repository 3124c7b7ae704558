// A task as it is submitted, before it is one.
#pragma once

#include <cstddef>
#include <span>

#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/order/task.h"
#include "taskrt/task_options.h"

namespace taskrt {

class BlockTable;

// A value.
struct Submission {
  const Kernel& kernel;
  std::span<const Access> accesses;
  std::span<const std::byte> scalars = {};
  const TaskOptions& options = kNoTaskOptions;
};

// The accesses of a task that has none yet. A broken contract, which names the block: a block
// twice, one that has ended, or none of `table`. Under TaskOrder's lock.
void AddAccesses(Task& task, std::span<const Access> accesses, const BlockTable& table);

}  // namespace taskrt
