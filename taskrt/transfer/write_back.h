// Brings blocks into the user's memory, several at a time, so that the links of all devices are
// busy.
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/status.h"
#include "taskrt/task/block.h"
#include "taskrt/transfer/mover.h"

namespace taskrt {

// In a pool. `devices`: how many there are. Returns the first error, after all blocks were tried.
absl::Status WriteBackAll(Mover& mover, std::span<BlockRecord* const> blocks, std::size_t devices);

}  // namespace taskrt
