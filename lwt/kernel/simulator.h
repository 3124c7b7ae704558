// The simulator of a pool: one OS thread runs its virtual workers in turn, always the one whose
// clock is the least (simulation.h).
//
// Threads: the OS thread that calls RunUntil, and the pool's end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lwt/kernel/memory_model.h"
#include "lwt/machine/context.h"
#include "lwt/machine/stack.h"
#include "lwt/simulation.h"
#include "lwt/threads/descriptor.h"

namespace lwt {

class Scheduler;
struct PoolShared;

// A resource of a pool.
class Simulator {
 public:
  Simulator(PoolShared& pool, const SimulationOptions& options, int workers, std::uint64_t seed);
  ~Simulator();

  const CostModel& costs() const { return memory_.costs(); }

  // The worker that runs has spent so much on that part. Other workers may run before this
  // returns.
  void Spend(Scheduler& worker, double nanoseconds, double SimulatedTime::*part);
  // The worker that runs touches memory: spends what it costs to fetch.
  void Touch(Scheduler& worker, const void* data, std::size_t bytes, Access access);
  // `thief`, which runs, has peeked at the queue of `victim`.
  void OnPeek(Scheduler& thief, int victim);
  // `thief`, which runs, has taken a thread from `victim`.
  void OnSteal(Scheduler& thief, int victim);
  // A search of the worker that runs has ended, with a thread or without one.
  void Found() { fruitless_ = 0; }
  void FoundNothing(Scheduler& worker);

  // Runs the workers until `done`. Throws Deadlock.
  void RunUntil(const bool& done);
  // On whose OS thread RunUntil runs them: a worker of another pool, or null.
  const Scheduler* outer() const { return outer_; }
  // The running thread is about to wait for itself: RunUntil throws the report.
  void OnCycle(std::string report) { cycle_ = std::move(report); }
  // Lets every worker see that the pool stops, and ends.
  void EndWorkers();

  double Clock(int worker) const { return virtual_[static_cast<std::size_t>(worker)]->clock; }
  // The latest of them.
  double Now() const;
  const SimulatedTime& time() const { return time_; }

 private:
  struct Virtual {
    double clock = 0;
    double locked_until = 0;      // its queue, by thieves
    StackPointer flow = nullptr;  // where it goes on
    bool ended = false;
    bool has_thread = false;  // while its clock moves: one that it runs, or has just taken
    ExceptionGlobals exceptions;
    int os_errno = 0;
  };

  static void WorkerMain(void* value, void* argument);
  int Next() const;  // the worker whose clock is the least; -1 if all have ended
  void Resume(int worker);
  bool MustLookUp() const;
  bool IsDeadlocked() const;
  bool DoesAnyRun() const;
  bool CanAnyRun(Scheduler& searcher) const;
  void SkipTo(double nanoseconds);
  void LeaveTo(Scheduler& worker);
  double Draw(double nanoseconds);

  PoolShared& pool_;
  MemoryModel memory_;
  std::vector<std::unique_ptr<Virtual>> virtual_;
  SimulatedTime time_;
  std::uint64_t random_;
  std::int64_t fruitless_ = 0;           // searches in a row that found nothing
  const bool* done_ = nullptr;           // of RunUntil
  std::string cycle_;                    // of threads that wait for each other; empty: none
  std::atomic<bool> is_running_{false};  // in RunUntil
  const Scheduler* outer_ = nullptr;     // while it runs
  bool is_dead_ = false;                 // a deadlock was thrown: no thread runs any more
  StackPointer main_ = nullptr;
  SanitizerFlow main_flow_;
};

}  // namespace lwt
