// What a worker has done. Written by the worker, read by anybody at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace lwt {

// A number that one thread writes and others read.
class Counter {
 public:
  void Add(std::int64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

inline constexpr int kMostDepths = 64;

struct Counters {
  Counter spawns;                                    // threads started
  Counter steals;                                    // taken from another worker's tail
  Counter empty;                                     // tries that found nothing
  Counter lost;                                      // tries that met another thief or the owner
  Counter promotions;                                // records that became threads
  Counter finds;                                     // searches that ended with something to run
  Counter parks;                                     // times it went to sleep
  std::array<Counter, kMostDepths> steals_by_depth;  // the last: that deep or deeper
};

}  // namespace lwt
