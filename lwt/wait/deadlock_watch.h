// Whether a pool's threads all wait for each other: a deadlock, or a stall where an OS thread
// outside of the pool might yet wake one.
//
// Threads: workers that have found no work and are counted as sleepers.
#pragma once

#include <chrono>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace lwt {

class Pool;
struct PoolOptions;
class Thief;

// A resource of a pool.
class DeadlockWatch {
 public:
  explicit DeadlockWatch(const PoolOptions& options);
  DeadlockWatch(const DeadlockWatch&) = delete;
  DeadlockWatch& operator=(const DeadlockWatch&) = delete;

  // By a worker that sleeps next: ends the program with a list of all threads that wait, or prints
  // it as a warning, where nothing in the pool can run any more.
  void Check(Pool& pool, Thief& searcher);

 private:
  // A stall lasts as long as no worker finds anything.
  struct Stall {
    std::int64_t finds = -1;  // of all workers
    std::chrono::steady_clock::time_point since;
    bool is_reported = false;
  };
  // Has the stall lasted for report_after_, and was it not reported yet?
  bool IsStall(std::int64_t finds);

  const bool woken_from_outside_;
  const std::chrono::nanoseconds report_after_;
  topo::Mutex mutex_;
  Stall stall_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lwt
