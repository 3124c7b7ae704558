// How a thread that has nothing to do waits: it spins, lets others run, then sleeps in the kernel.
#pragma once

#include <cstdint>

namespace llcl {

// In microseconds, as a look at a device takes from some nanoseconds to some microseconds. For how
// long a thread spins, where spinning has paid a moment ago, and then yields. A value.
struct IdlePolicy {
  int spin_us = 30;  // some round trips between machines
  int yield_us = 200;
  // A thread in Endpoint::Wait sleeps later than the progress thread: it would be woken by the
  // progress thread, which has to be woken first.
  int yield_of_waits_us = 5'000;
};

// When a thread that finds nothing spins, by what it has seen before: in nanoseconds of any clock.
// Spinning pays only while other ranks' threads still poll and have processors of their own: so a
// moment after a short time, and not soon after a spin in vain. A value.
struct Spinning {
  std::int64_t from_ns = 0, until_ns = 0;
};

// For how long a thread has found nothing to do. A value.
class IdleTime {
 public:
  enum class Next : std::uint8_t { kSpin, kYield, kNap, kSleep };

  // It yields for `yield_us` and then sleeps. `spinning`: as the time before has left it.
  IdleTime(const IdlePolicy& policy, int yield_us, Spinning spinning = {})
      : spin_ns_(InNs(policy.spin_us)),
        all_ns_(spin_ns_ + InNs(yield_us)),
        others_poll_ns_(InNs(policy.spin_us) + InNs(policy.yield_us)),
        spinning_(spinning) {}

  // It found nothing, at `now_ns`: how it waits before it looks again.
  Next Add(std::int64_t now_ns) {
    if (!is_idle_) {
      since_ns_ = now_ns;
      nap_at_ns_ = kNapEveryNs;
      spins_ = spinning_.from_ns <= now_ns && now_ns < spinning_.until_ns;
    }
    is_idle_ = true;
    took_ns_ = now_ns - since_ns_;
    if (took_ns_ >= all_ns_) return Next::kSleep;
    if (spins_ && took_ns_ < spin_ns_) return Next::kSpin;
    if (took_ns_ < nap_at_ns_) return Next::kYield;
    nap_at_ns_ = took_ns_ + kNapEveryNs;
    return Next::kNap;
  }
  // It found something, or slept.
  void End() {
    if (!is_idle_) return;
    is_idle_ = false;
    const std::int64_t now_ns = since_ns_ + took_ns_;
    spinning_.until_ns = took_ns_ < spin_ns_ ? now_ns + others_poll_ns_ : 0;
    if (spins_ && took_ns_ >= spin_ns_) spinning_.from_ns = now_ns + kRestNs;
  }
  const Spinning& spinning() const { return spinning_; }

 private:
  static constexpr std::int64_t InNs(int us) { return std::int64_t{us} * 1000; }
  // Yielding gives way only to threads that are due by the scheduler's accounts, which may take a
  // tick of some milliseconds; a nap gives way to all.
  static constexpr std::int64_t kNapEveryNs = 250'000;
  static constexpr std::int64_t kRestNs = 200'000;  // after a spin in vain

  const std::int64_t spin_ns_, all_ns_, others_poll_ns_;
  Spinning spinning_;
  bool is_idle_ = false, spins_ = false;
  std::int64_t since_ns_ = 0, took_ns_ = 0, nap_at_ns_ = 0;
};

}  // namespace llcl
