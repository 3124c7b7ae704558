// Sleeping without holding up a worker, and waiting no longer than until a moment.
//
//   lwt::SleepFor(5ms);
//
// A sleeping thread is a node in its pool's timers (timers.h, where the bound on
// its lateness stands); nothing spins and nothing is allocated. On simulated
// workers an hour passes at once when nothing else can run.
//
// Threads: any, inside and outside of pools.
#pragma once

#include <chrono>

#include "lwt/waiter.h"

namespace lwt {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// The time that deadlines are of: the clock's, and on simulated workers the
// virtual one, counted from the moment at which the pool was made.
Deadline Now();

// From Now() on; the end of time where that is beyond it.
Deadline DeadlineAfter(Clock::duration duration);

// As long in the clock's unit, which not all durations fit into: centuries are for
// ever. Not a number is too.
template <typename Rep, typename Period>
Clock::duration ClockDuration(std::chrono::duration<Rep, Period> duration) {
  using Seconds = std::chrono::duration<long double>;
  const Seconds seconds(duration);
  if (!(seconds < Seconds(Clock::duration::max()))) return Clock::duration::max();
  if (seconds <= Seconds(Clock::duration::min())) return Clock::duration::min();
  return std::chrono::ceil<Clock::duration>(duration);
}
template <typename Rep, typename Period>
Deadline DeadlineAfter(std::chrono::duration<Rep, Period> duration) {
  return DeadlineAfter(ClockDuration(duration));
}

// Never shorter. A moment that has passed: returns at once.
void SleepUntil(Deadline deadline);
void SleepFor(Clock::duration duration);
template <typename Rep, typename Period>
void SleepFor(std::chrono::duration<Rep, Period> duration) {
  SleepFor(ClockDuration(duration));
}

// For what waits in a list of its own: waits until woken or until the deadline.
// At the deadline calls `give_up`, perhaps on another thread and with a lock
// held: it takes `self` out of the list, or returns false if somebody has done so
// already and is about to wake it. Was it given up?
[[nodiscard]] bool WakeOrDeadline(Waiter& self, Deadline deadline, const char* why,
                                  bool (*give_up)(void*), void* argument);
template <typename GiveUp>
[[nodiscard]] bool WakeOrDeadline(Waiter& self, Deadline deadline, const char* why,
                                  GiveUp give_up) {
  return WakeOrDeadline(
      self, deadline, why, [](void* argument) { return (*static_cast<GiveUp*>(argument))(); },
      &give_up);
}

}  // namespace lwt
