// How a thread that has nothing to do waits: it spins, lets others run, then sleeps in the kernel.
#pragma once

#include <chrono>
#include <cstdint>

namespace llcl {

// By time, as a look at a device takes from some nanoseconds to some microseconds. A value.
struct IdlePolicy {
  // A rank that this one waits for may queue behind it on the same processor for so long.
  std::chrono::microseconds spin{10};
  std::chrono::microseconds yield{200};
  // A thread in Endpoint::Wait sleeps later than the progress thread: it would be woken by the
  // progress thread, which has to be woken first.
  std::chrono::microseconds yield_of_waits{5'000};
};

// For how long a thread has found nothing to do. A value.
class IdleTime {
 public:
  enum class Next : std::uint8_t { kSpin, kYield, kSleep };
  using Clock = std::chrono::steady_clock;

  IdleTime(std::chrono::microseconds spin, std::chrono::microseconds yield)
      : spin_(spin), all_(spin + yield) {}

  // It found nothing, at `now`: how it waits before it looks again.
  Next Add(Clock::time_point now) {
    if (!is_idle_) since_ = now;
    is_idle_ = true;
    const auto took = now - since_;
    return took < spin_ ? Next::kSpin : took < all_ ? Next::kYield : Next::kSleep;
  }
  // It found something, or slept.
  void Reset() { is_idle_ = false; }

 private:
  const Clock::duration spin_, all_;
  bool is_idle_ = false;
  Clock::time_point since_;
};

}  // namespace llcl
