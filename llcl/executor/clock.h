// Time as deadlines are counted: milliseconds of a clock that is never set.
#pragma once

#include <cstdint>
#include <ctime>

namespace llcl {

// Read in some nanoseconds, exact to a few milliseconds.
inline std::int64_t NowMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000 + now.tv_nsec / 1'000'000;
}

}  // namespace llcl
