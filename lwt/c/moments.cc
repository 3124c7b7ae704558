#include "lwt/c/moments.h"

#include <chrono>
#include <cstdint>
#include <limits>

namespace lwt::c {

bool IsTime(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

Deadline DeadlineAfter(std::int64_t seconds, std::int64_t nanoseconds) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  if (seconds > kMost) return Deadline::max();
  if (seconds < 0) return Now();
  return lwt::DeadlineAfter(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds));
}

Deadline DeadlineAt(const timespec& time, clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  if (time.tv_sec < now.tv_sec) return Now();
  const bool borrows = time.tv_nsec < now.tv_nsec;
  return DeadlineAfter(time.tv_sec - now.tv_sec - borrows,
                       time.tv_nsec - now.tv_nsec + (borrows ? 1'000'000'000 : 0));
}

}  // namespace lwt::c
