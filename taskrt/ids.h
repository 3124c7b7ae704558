// Numbers of blocks and tasks.
#pragma once

#include <cstdint>
#include <limits>

#include "taskrt/language.h"

namespace taskrt {

// Of the blocks that a runtime has at a time: a block that has ended leaves its number to another.
using BlockId = std::uint32_t;

// Of tasks, in the order in which they were submitted, from 1.
using SubmitIndex = std::uint64_t;
inline constexpr SubmitIndex kNever = std::numeric_limits<SubmitIndex>::max();

}  // namespace taskrt
