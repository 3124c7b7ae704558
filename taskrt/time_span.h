// A span of time: of a task, a copy or an operation of a device.
#pragma once

#include <cstdint>

#include "taskrt/language.h"

namespace taskrt {

// A value. In nanoseconds; the owner says since when.
struct TimeSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
};

}  // namespace taskrt
