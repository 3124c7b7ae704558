// How blocks are copied.
#pragma once

#include <cstdint>

#include "taskrt/plan/plan.h"

namespace taskrt {

// A value.
struct MoverOptions {
  SourceRule source = SourceRule::kHostFirst;
  Across across = Across::kCopy;
  bool optimizes = true;           // PlanOptions'
  std::uint64_t device_bytes = 0;  // of memory that is used of each; zero: what it has
  Eviction eviction = Eviction::kFarthestUse;
};

}  // namespace taskrt
