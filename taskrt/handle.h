// A registered block, and what a task does to it.
#pragma once

#include <cstdint>

#include "taskrt/access.h"

namespace taskrt {

struct BlockRecord;

// A value: names a block of the user's memory, until that is unregistered (runtime.h).
class Handle {
 public:
  Handle() = default;

 private:
  friend class BlockTable;
  Handle(BlockRecord& block, std::uint64_t generation) : block_(&block), generation_(generation) {}

  BlockRecord* block_ = nullptr;
  std::uint64_t generation_ = 0;
};

// A value.
struct Access {
  Handle handle = {};
  Mode mode = Mode::kIn;
};

}  // namespace taskrt
