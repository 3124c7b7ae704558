// What the library needs of a worker: its parts, and which worker the calling thread runs on.
//
// Threads: a Scheduler's members only on its worker, but for what its parts allow to others.
//
// Source: [NNT13] sections 3.3 and 3.4.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "lwt/kernel/activity.h"
#include "lwt/kernel/ready_threads.h"
#include "lwt/kernel/switcher.h"
#include "lwt/kernel/thief.h"
#include "lwt/kernel/thread_cache.h"
#include "lwt/simulation.h"
#include "lwt/threads/descriptor.h"
#include "lwt/worker.h"

namespace lwt {

class Simulator;
struct PoolOptions;
struct PoolShared;

// A resource of a pool.
class alignas(64) Scheduler final : public Worker {
 public:
  Scheduler(Pool& pool, PoolShared& shared, int index, std::uint64_t seed,
            const PoolOptions& options);

  // Worker's, of the calling OS thread.
  static Scheduler* Current() { return static_cast<Scheduler*>(Worker::Current()); }
  static Scheduler& Here(const char* call = __builtin_FUNCTION()) {
    return static_cast<Scheduler&>(Worker::Here(call));
  }
  // Like Here(), but fails inside a stealing policy, where no thread is running.
  static Scheduler& OfThread(const char* call = __builtin_FUNCTION()) {
    Scheduler& scheduler = Here(call);
    if (scheduler.current() == nullptr) [[unlikely]] {
      DieOfForeignCall(call);
    }
    return scheduler;
  }
  // Like Here(), but fails on a worker of another pool than `pool`.
  static Scheduler& OfPool(const PoolShared& pool, const char* call) {
    Scheduler& scheduler = Here(call);
    if (&scheduler.shared_ != &pool) [[unlikely]] {
      DieOfOtherPool(call);
    }
    return scheduler;
  }
  // A new Current() for the calling OS thread; returns the old one.
  static Scheduler* BecomeCurrent(Scheduler* scheduler);

  // The thread that runs here; null: none.
  Descriptor* current() const { return switcher_.current(); }
  Descriptor* current_of_other() const { return switcher_.current_of_other(); }
  Switcher& switcher() { return switcher_; }
  ThreadCache& cache() { return cache_; }
  ReadyThreads& ready() { return ready_; }
  Thief& thief() { return thief_; }
  Activity& activity() { return activity_; }
  const Activity& activity() const { return activity_; }
  // Does an OS thread of the program's have the role of this worker (guest.h)?
  std::atomic<bool>& has_guest() { return has_guest_; }
  // Null on real workers.
  Simulator* simulator() const { return simulator_; }

  // The parts that this worker shares with the pool's others.
  PoolShared& shared() const { return shared_; }

  // Time since the pool was made, by this worker's clock; the same as a moment, for deadlines.
  double Nanoseconds() const;
  std::chrono::steady_clock::time_point Now() const;

  // Adds an event of now to the trace, if that is on.
  void Trace(TraceEvent::Kind kind, int victim = -1, std::uint32_t depth = 0);
  // On a simulated worker: moves its clock, by a cost of the model, for that part.
  void Spend(double CostModel::*cost, double SimulatedTime::*part) {
    if (simulator_ != nullptr) [[unlikely]]
      SpendSimulated(cost, part);
  }

 private:
  [[noreturn]] static void DieOfOtherPool(const char* call);
  void SpendSimulated(double CostModel::*cost, double SimulatedTime::*part);

  // The busiest first.
  Switcher switcher_;
  ThreadCache cache_;
  Simulator* const simulator_;
  PoolShared& shared_;
  Thief thief_;
  Activity activity_;
  std::atomic<bool> has_guest_{false};
  ReadyThreads ready_;  // other workers' thieves read and write it, too
};

}  // namespace lwt
