// Time by a clock that is never set.
#pragma once

#include <cstdint>
#include <ctime>

namespace llcl {

// As deadlines are counted: read in some nanoseconds, exact to a few milliseconds.
inline std::int64_t NowMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

// Exact, in some twenty nanoseconds.
inline std::int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Sleeps for the least time that the kernel's timers know, some fifty microseconds.
inline void Nap() {
  const timespec least = {.tv_sec = 0, .tv_nsec = 1};
  (void)nanosleep(&least, nullptr);
}

}  // namespace llcl
