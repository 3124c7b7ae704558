// How a thread that has nothing to do waits: it spins, lets others run, then sleeps in the kernel.
#pragma once

#include <cstdint>

namespace llcl {

// In microseconds, as a look at a device takes from some nanoseconds to some microseconds. A value.
struct IdlePolicy {
  int spin_us = 30;  // some round trips between machines
  int yield_us = 200;
  // A thread in Endpoint::Wait sleeps later than the progress thread: it would be woken by the
  // progress thread, which has to be woken first.
  int yield_of_waits_us = 5'000;
};

// For how long a thread has found nothing to do. It spins only if the time before was as short as
// spinning: else what it waits for is done by a thread that sleeps or has no processor of its own,
// and may queue behind this one. A value.
class IdleTime {
 public:
  enum class Next : std::uint8_t { kSpin, kYield, kSleep };

  IdleTime(int spin_us, int yield_us, bool was_short = true)
      : spin_ns_(std::int64_t{spin_us} * 1000),
        all_ns_(spin_ns_ + std::int64_t{yield_us} * 1000),
        was_short_(was_short) {}

  // It found nothing, at `now_ns` of any clock: how it waits before it looks again.
  Next Add(std::int64_t now_ns) {
    if (!is_idle_) since_ns_ = now_ns;
    is_idle_ = true;
    took_ns_ = now_ns - since_ns_;
    if (took_ns_ >= all_ns_) return Next::kSleep;
    return was_short_ && took_ns_ < spin_ns_ ? Next::kSpin : Next::kYield;
  }
  // It found something, or slept.
  void End() {
    if (is_idle_) was_short_ = took_ns_ < spin_ns_;
    is_idle_ = false;
  }
  bool was_short() const { return was_short_; }

 private:
  const std::int64_t spin_ns_, all_ns_;
  bool is_idle_ = false;
  bool was_short_;
  std::int64_t since_ns_ = 0, took_ns_ = 0;
};

}  // namespace llcl
