// The record of a block whose reductions run at the same time (task/partials.h).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "taskrt/kernel.h"
#include "taskrt/task/partials.h"

namespace taskrt {

struct BlockRecord;

// TaskOrder's lock guards it.
struct Reduction {
  struct Partial {
    BlockRecord* block = nullptr;  // null: not needed yet
    std::unique_ptr<std::byte[]> memory;
  };

  const Kernel initialize, combine;
  Partials partials;
  std::vector<Partial> blocks;  // by the index of partials
  bool is_open = false;         // some are to be combined
};

}  // namespace taskrt
