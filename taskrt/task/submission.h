// A task as it is submitted, before it is one.
#pragma once

#include <cstddef>
#include <span>

#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/task_options.h"

namespace taskrt {

// A value.
struct Submission {
  const Kernel& kernel;
  std::span<const Access> accesses;
  std::span<const std::byte> scalars = {};
  const TaskOptions& options = kNoTaskOptions;
};

}  // namespace taskrt
