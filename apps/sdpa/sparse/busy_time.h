// How long threads compute, summed over all of them, without what a thread waits at a join or does
// for others there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sdpa {

// A resource: a thread's clock, which goes from its making to its end but for pauses; then its time
// is in `sum_ns`. Real time, also where the workers' is virtual.
//
// Threads: one.
class BusyTime {
 public:
  explicit BusyTime(std::atomic<std::int64_t>& sum_ns) : sum_ns_(sum_ns) {}
  ~BusyTime() { Pause(); }
  BusyTime(const BusyTime&) = delete;
  BusyTime& operator=(const BusyTime&) = delete;

  // Runs `join`, whose threads have clocks of their own.
  template <typename Join>
  void Without(const Join& join) {
    Pause();
    join();
    begun_ = Clock::now();
  }

  std::atomic<std::int64_t>& sum_ns() const { return sum_ns_; }

 private:
  using Clock = std::chrono::steady_clock;

  void Pause() {
    const std::chrono::nanoseconds took = Clock::now() - begun_;
    sum_ns_.fetch_add(took.count(), std::memory_order_relaxed);
  }

  std::atomic<std::int64_t>& sum_ns_;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace sdpa
