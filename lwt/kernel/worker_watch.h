// Looks for workers that are held (held_workers.h), and prints a report of them.
//
// The OS thread that waits for a call of Run, or in the pool's destructor, looks. Workers do
// nothing for it, and no OS thread is added. Where only threads of other pools wait for
// the pool, nobody looks.
//
// Threads: Enter by each worker before it runs threads; Look by any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/machine/os_thread.h"
#include "lwt/wait/held_workers.h"
#include "topo/mutex.h"

namespace lwt {

struct PoolOptions;
struct PoolShared;

// A resource of a pool.
class WorkerWatch {
 public:
  explicit WorkerWatch(const PoolOptions& options);
  WorkerWatch(const WorkerWatch&) = delete;
  WorkerWatch& operator=(const WorkerWatch&) = delete;

  // The calling OS thread is this worker, of so many.
  void Enter(int worker, int workers);

  // How long the looking thread may sleep between two calls of Look.
  std::int64_t period_ns() const { return period_ns_; }
  void Look(const PoolShared& pool);

 private:
  const bool is_on_;
  const std::int64_t period_ns_;
  std::atomic<bool> has_warned_{false};  // once: a program may wait so again and again
  topo::Mutex mutex_;
  std::vector<OsThread> os_threads_ ABSL_GUARDED_BY(mutex_);  // by worker
  int entered_ ABSL_GUARDED_BY(mutex_) = 0;
  HeldWorkers held_ ABSL_GUARDED_BY(mutex_);
  std::int64_t looked_ns_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace lwt
