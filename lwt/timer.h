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
#include <stop_token>
#include <utility>

#include "lwt/waiter.h"

namespace lwt {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// The time that deadlines are of: the clock's, and on simulated workers the
// virtual one, counted from the moment at which the pool was made.
Deadline Now();

// From Now() on; the end of time where that is beyond it.
Deadline DeadlineAfter(Clock::duration duration);

// The duration in the clock's unit. One that does not fit, as centuries, is for ever;
// so is not-a-number.
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

// As above, but these sleeps end when stop is requested. True: the thread slept to the end. False:
// stop was requested; where it was before the call, they return at once, and false even for a
// moment that has passed.
[[nodiscard]] bool SleepUntil(Deadline deadline, std::stop_token stop);
[[nodiscard]] bool SleepFor(Clock::duration duration, std::stop_token stop);
template <typename Rep, typename Period>
[[nodiscard]] bool SleepFor(std::chrono::duration<Rep, Period> duration, std::stop_token stop) {
  return SleepFor(ClockDuration(duration), std::move(stop));
}

// For a waiter in a list of the caller's: waits until woken or until the deadline.
// At the deadline calls `give_up`, perhaps on another thread and with a lock held:
// `give_up` takes `self` out of the list, or returns false if another thread has done
// so already and is about to wake it. Returns whether it was given up.
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
