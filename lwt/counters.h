// What a worker has done. The worker writes it; any thread may read it at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "lwt/language.h"

namespace lwt {

// A number that one thread writes and others read. A reader sees what the writer did
// before (release, acquire).
class Counter {
 public:
  void Add(std::int64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_release);
  }
  std::int64_t value() const { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// A counter for what is to be done once in kPeriod times: it counts down to that, so that the check
// whether it is time costs one instruction.
class PeriodicCounter {
 public:
  static constexpr std::int64_t kPeriod = 1024;

  // True: it is time. The owner calls StartPeriod.
  [[nodiscard]] bool Add() {
    const std::int64_t left = left_.load(std::memory_order_relaxed) - 1;
    left_.store(left, std::memory_order_release);
    return left == 0;
  }
  // A reader that sees left_ of the new period sees that it began (release, acquire).
  void StartPeriod() {
    const std::int64_t begun = begun_.load(std::memory_order_relaxed);
    begun_.store(begun + 1, std::memory_order_release);
    left_.store(kPeriod, std::memory_order_release);
    begun_.store(begun + 2, std::memory_order_release);
  }
  std::int64_t value() const {
    while (true) {
      const std::int64_t begun = begun_.load(std::memory_order_acquire);
      const std::int64_t left = left_.load(std::memory_order_acquire);
      if (begun % 2 == 0 && begun_.load(std::memory_order_relaxed) == begun) {
        return (begun / 2 + 1) * kPeriod - left;
      }
    }
  }

 private:
  std::atomic<std::int64_t> left_{kPeriod};
  std::atomic<std::int64_t> begun_{0};  // twice the periods that are over; odd in between
};

inline constexpr int kMostDepths = 64;

struct Counters {
  PeriodicCounter spawns;                            // threads started
  Counter steals;                                    // taken from another worker's tail
  Counter empty;                                     // tries that found nothing
  Counter lost;                                      // tries that met another thief or the owner
  Counter promotions;                                // records that became threads
  Counter finds;                                     // searches that ended with something to run
  Counter parks;                                     // times it went to sleep
  std::array<Counter, kMostDepths> steals_by_depth;  // the last: that deep or deeper
};

}  // namespace lwt
