// How many of a runtime's tasks are outstanding, submitted and not ended, and how many have run.
//
// Threads: any. A task that ends takes no lock unless a thread waits for all tasks.
// Order: what came before an End happens before what follows WaitForAll (outstanding_: release,
//   acquire).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "lwt/thread.h"

namespace taskrt {

// A resource. None at first.
class TaskCounts {
 public:
  void Begin() { outstanding_.fetch_add(kOne, std::memory_order_relaxed); }
  void End() {
    if (outstanding_.fetch_sub(kOne, std::memory_order_acq_rel) == kOne + kAwaited) [[unlikely]] {
      WakeAll();
    }
  }
  // Returns when no task is outstanding.
  void WaitForAll() {
    std::unique_lock lock(mutex_);
    all_ended_.Wait(
        lock, [this] { return !MarkAwaited(); }, "tasks");
  }
  // After WaitForAll, before the end of this: the threads that have ended tasks are gone from here.
  void WaitForEnders() const {
    while (wakers_.load(std::memory_order_acquire) != 0) lwt::Yield();
  }
  std::uint64_t outstanding() const { return outstanding_.load(std::memory_order_acquire) / kOne; }

  // A task that computes has run, on a device or on the host.
  void AddRun() { run_.fetch_add(1, std::memory_order_relaxed); }
  void AddRunOnDevice() {
    AddRun();
    run_on_devices_.fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t run() const { return run_.load(std::memory_order_relaxed); }
  std::uint64_t run_on_devices() const { return run_on_devices_.load(std::memory_order_relaxed); }

 private:
  // False: no task is outstanding, and the mark is left as it is: a task that ends then touches
  // nothing but the count.
  bool MarkAwaited() {
    std::uint64_t now = outstanding_.load(std::memory_order_acquire);
    while (now >= kOne &&
           !outstanding_.compare_exchange_weak(now, now | kAwaited, std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
    }
    return now >= kOne;
  }
  [[gnu::cold, gnu::noinline]] void WakeAll() {
    {
      const std::lock_guard lock(mutex_);
      wakers_.fetch_add(1, std::memory_order_relaxed);
      outstanding_.fetch_and(~kAwaited, std::memory_order_relaxed);
      all_ended_.NotifyAll();
    }
    wakers_.fetch_sub(1, std::memory_order_release);
  }

  static constexpr std::uint64_t kAwaited = 1, kOne = 2;

  // In one line of the cache: a thread that ends a task has it already.
  alignas(64) std::atomic<std::uint64_t> outstanding_{0};
  std::atomic<std::uint64_t> run_{0}, run_on_devices_{0};
  std::atomic<int> wakers_{0};  // threads in WakeAll that another may have seen
  lwt::Mutex mutex_;
  lwt::ConditionVariable all_ended_;
};

}  // namespace taskrt
