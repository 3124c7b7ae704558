// How a thread that has nothing to do waits: it spins, lets others run, then sleeps in the kernel.
#pragma once

#include <cstdint>

namespace llcl {

// In microseconds, as a look at a device takes from some nanoseconds to some microseconds. A value.
struct IdlePolicy {
  // A rank that this one waits for may queue behind it on the same processor for so long.
  int spin_us = 10;
  int yield_us = 200;
  // A thread in Endpoint::Wait sleeps later than the progress thread: it would be woken by the
  // progress thread, which has to be woken first.
  int yield_of_waits_us = 5'000;
};

// For how long a thread has found nothing to do. A value.
class IdleTime {
 public:
  enum class Next : std::uint8_t { kSpin, kYield, kSleep };

  IdleTime(int spin_us, int yield_us)
      : spin_ns_(std::int64_t{spin_us} * 1000), all_ns_(spin_ns_ + std::int64_t{yield_us} * 1000) {}

  // It found nothing, at `now_ns` of any clock: how it waits before it looks again.
  Next Add(std::int64_t now_ns) {
    if (!is_idle_) since_ns_ = now_ns;
    is_idle_ = true;
    const std::int64_t took_ns = now_ns - since_ns_;
    return took_ns < spin_ns_ ? Next::kSpin : took_ns < all_ns_ ? Next::kYield : Next::kSleep;
  }
  // It found something, or slept.
  void Reset() { is_idle_ = false; }

 private:
  const std::int64_t spin_ns_, all_ns_;
  bool is_idle_ = false;
  std::int64_t since_ns_ = 0;
};

}  // namespace llcl
