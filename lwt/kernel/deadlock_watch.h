// Whether a pool's threads all wait for each other: a deadlock, or a stall where an OS thread
// outside of the pool might yet wake one.
//
// Threads: workers that have found no work and are counted as sleepers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace lwt {

class Thief;
struct PoolOptions;
struct PoolShared;

// A resource of a pool.
class DeadlockWatch {
 public:
  explicit DeadlockWatch(const PoolOptions& options);
  DeadlockWatch(const DeadlockWatch&) = delete;
  DeadlockWatch& operator=(const DeadlockWatch&) = delete;

  // By a worker that sleeps next: ends the program with a list of all threads that wait, or prints
  // it as a warning, where nothing in the pool can run any more.
  void Check(const PoolShared& pool, Thief& searcher);

  // By a worker that was asleep, before it runs a thread: waits while a report reads stacks.
  void AwaitReport() {
    if (is_reading_.load(std::memory_order_seq_cst)) [[unlikely]] {
      const topo::Lock lock(mutex_);
    }
  }

 private:
  // A stall lasts as long as no worker finds anything.
  struct Stall {
    std::int64_t finds = -1;  // of all workers
    std::chrono::steady_clock::time_point since;
    bool is_reported = false;
  };
  // Has the stall lasted for report_after_, and was it not reported yet?
  bool IsStall(std::int64_t finds);
  // The stacks of the threads that wait; null where a worker is awake.
  template <typename DoAllSleep>
  std::optional<std::string> Stacks(const PoolShared& pool, DoAllSleep do_all_sleep);

  const bool woken_from_outside_;
  const std::chrono::nanoseconds report_after_;
  topo::Mutex mutex_;
  // Set, under the mutex, while stacks are read. Order: the reader sets it, then looks how many
  // workers sleep; a worker that wakes is no sleeper any more, then reads it.
  std::atomic<bool> is_reading_{false};
  Stall stall_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lwt
