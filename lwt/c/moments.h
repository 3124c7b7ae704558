// Times of C programs as deadlines.
//
// Threads: any.
#pragma once

#include <ctime>

#include "lwt/timer.h"

namespace lwt::c {

bool IsTime(const timespec& time);

// That much from now on; too long for the clock is for ever, and less than nothing is now.
Deadline DeadlineAfter(std::int64_t seconds, std::int64_t nanoseconds);

// The moment `time` of `clock`, CLOCK_REALTIME or CLOCK_MONOTONIC, as that clock goes now: who sets
// the system's time does not move it.
Deadline DeadlineAt(const timespec& time, clockid_t clock = CLOCK_REALTIME);

}  // namespace lwt::c
