// How many tasks have not ended, and who waits until none is left. That nobody waits costs who ends
// no lock.
//
// Threads: any.
// Order: what came before a Remove happens before what follows WaitForNone (word_: release,
//   acquire).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "lwt/condition_variable.h"
#include "lwt/mutex.h"

namespace taskrt {

// A value. None at first.
class OutstandingTasks {
 public:
  void Add() { word_.fetch_add(kOne, std::memory_order_relaxed); }
  void Remove() {
    if (word_.fetch_sub(kOne, std::memory_order_acq_rel) == kOne + kAwaited) [[unlikely]] {
      const std::lock_guard lock(mutex_);
      word_.fetch_and(~kAwaited, std::memory_order_relaxed);
      none_left_.NotifyAll();
    }
  }
  void WaitForNone() {
    std::unique_lock lock(mutex_);
    none_left_.Wait(
        lock, [this] { return word_.fetch_or(kAwaited, std::memory_order_acq_rel) < kOne; },
        "tasks");
  }
  std::uint64_t count() const { return word_.load(std::memory_order_relaxed) / kOne; }

 private:
  static constexpr std::uint64_t kAwaited = 1, kOne = 2;

  std::atomic<std::uint64_t> word_{0};
  lwt::Mutex mutex_;
  lwt::ConditionVariable none_left_;
};

}  // namespace taskrt
