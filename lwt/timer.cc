#include "lwt/timer.h"

#include <atomic>
#include <utility>

#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/wait/timers.h"
#include "lwt/wait/wake_on_stop.h"

namespace lwt {
namespace {

std::int64_t Nanoseconds(Deadline moment) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(moment.time_since_epoch()).count();
}

}  // namespace

Deadline Now() {
  const Scheduler* const scheduler = Scheduler::Current();
  return scheduler == nullptr ? Clock::now() : scheduler->Now();
}

Deadline DeadlineAfter(Clock::duration duration) {
  const Deadline now = Now();
  return duration < Deadline::max() - now ? now + duration : Deadline::max();
}

void SleepUntil(Deadline deadline) {
  if (deadline <= Now()) return;
  Waiter self;
  // Only the deadline wakes it.
  [[maybe_unused]] const bool slept =
      WakeOrDeadline(self, deadline, "a moment", [] { return true; });
}

void SleepFor(Clock::duration duration) { SleepUntil(DeadlineAfter(duration)); }

bool SleepUntil(Deadline deadline, std::stop_token stop) {
  if (stop.stop_requested()) return false;
  if (deadline <= Now()) return true;
  Waiter self;
  // The deadline or the stop wakes it: the first that comes.
  std::atomic<bool> is_over{false};
  const auto give_up = [&is_over] { return !is_over.exchange(true); };
  const auto waking = WakeOnStop(stop, self, give_up);
  return WakeOrDeadline(self, deadline, "a moment", give_up);
}

bool SleepFor(Clock::duration duration, std::stop_token stop) {
  return SleepUntil(DeadlineAfter(duration), std::move(stop));
}

bool WakeOrDeadline(Waiter& self, Deadline deadline, const char* why, bool (*give_up)(void*),
                    void* argument) {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    // Before all time is now, as the clock counts from 0.
    return scheduler->shared().timers.WakeOrDeadline(
        self, std::clamp<std::int64_t>(Nanoseconds(deadline), 0, kLatest), why,
        [=] { return give_up(argument); });
  }
  constexpr std::int64_t kLongestSleepNanoseconds = 1'000'000'000;
  for (Deadline now = Clock::now(); now < deadline; now = Clock::now()) {
    const std::int64_t left = Nanoseconds(deadline) - Nanoseconds(now);
    if (self.IsWokenAfter(std::min(left, kLongestSleepNanoseconds))) return false;
  }
  if (give_up(argument)) return true;
  self.Wait(why, WokenBy::kSystem);
  return false;
}

}  // namespace lwt
