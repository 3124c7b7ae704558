// A pool of workers, and the way into it.
//
//   auto pool = lwt::Pool::Create({.workers = 4});
//   const int result = (*pool)->Run([] { return Fib(30); });
//
// Threads: Run and SetPolicy from any OS thread, several at a time; Run of a
// simulated pool by one at a time. Run called by a thread of the pool calls its
// function there; called by a thread of another pool it suspends that thread (on
// simulated workers it holds them up, and their time does not pass: what a thread
// runs on a simulated pool must not call Run of that thread's own pool). Destroy the
// pool from outside of it, when no call of Run goes on and each thread has been joined
// or detached; the destructor waits for detached threads. The process may exit at any time:
// see Pool::IsLeftAtExit.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "lwt/contract.h"
#include "lwt/kernel/deadlock_watch.h"
#include "lwt/kernel/owner.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/kernel/worker_watch.h"
#include "lwt/machine/joined_thread.h"
#include "lwt/machine/process.h"
#include "lwt/machine/stack.h"
#include "lwt/options.h"
#include "lwt/reactor/file_turns.h"
#include "lwt/reactor/poller.h"
#include "lwt/spawn.h"
#include "lwt/threads/descriptor_store.h"
#include "lwt/timer.h"
#include "lwt/wait/detached_threads.h"
#include "lwt/wait/outside_threads.h"
#include "lwt/wait/timers.h"
#include "lwt/waiter.h"
#include "lwt/worker.h"
#include "topo/topo.h"

namespace lwt {

class Proactor;  // Its header includes the kernel's, which programs' own may not get along with.

// A resource.
class Pool {
 public:
  // Errors: InvalidArgument, with the field and its value, for options of which no pool
  // can be made, and for placements that topo refuses; ResourceExhausted where no more
  // OS threads can be started, or the traces have no memory; Unavailable, with what the
  // kernel said, where io_uring is asked for and not to be had.
  static absl::StatusOr<std::unique_ptr<Pool>> Create(const PoolOptions& options = {});
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  // std::unique_ptr calls it: it runs the destructor, unless IsLeftAtExit.
  void operator delete(Pool* pool, std::destroying_delete_t);

  // Runs `f()` as a lightweight thread and waits for it; returns what it returns
  // and throws what it throws.
  template <typename F>
  std::invoke_result_t<F> Run(F&& f) {
    using Result = std::invoke_result_t<F>;
    if (const Worker* const worker = Worker::Current();
        worker != nullptr && &Scheduler::OfThread("Pool::Run").pool() == this) {
      return std::forward<F>(f)();
    }
    if constexpr (std::is_void_v<Result>) {
      RunAndWait([&] { f(); });
    } else {
      std::optional<Result> result;
      RunAndWait([&] { result.emplace(f()); });
      return *std::move(result);
    }
  }

  // Run for an OS thread of a library that serves the pool: IsLeftAtExit does not count it. The
  // library ends the call before the pool is destroyed.
  template <typename F>
  void Serve(F&& f) {
    RunAndWait([&] { f(); }, false);
  }

  // Was this process made by fork(2) from the one that made the pool? Its workers are not here
  // then: Run ends the program with a sentence, and the destructor waits for nothing. A pool that
  // is made here works.
  bool is_of_parent_process() const { return generation_ != ProcessGeneration(); }

  // Has the process called exit(3), and is the calling thread a lightweight one, or does a call of
  // Run go on? A pool that is deleted then, as the destructors of static objects do, is left as it
  // is, memory and workers, which end with the process: it has the code that exit was given. An OS
  // thread that has never met lwt is not noticed where the pool had more calls of Run inside the
  // initializer of its static variable than since, nor after about a thousand pools.
  // Detached threads are waited for where neither holds.
  bool IsLeftAtExit() const {
    return IsProcessExiting() && (Worker::Current() != nullptr || outside_.callers() != 0);
  }

  // Each worker takes a copy before its next steal.
  void SetPolicy(const AnyPolicy& policy);

  int workers() const { return static_cast<int>(schedulers_.size()); }
  // Are its workers simulated, in virtual time (simulation.h)?
  bool is_simulated() const { return simulator_ != nullptr; }
  // Precondition: 0 <= index < workers().
  Worker& worker(int index) const { return scheduler(index); }
  StackSlabs::Counts stacks() const { return stacks_.counts(); }
  Timers& timers() { return timers_; }
  // kEpoll or kIoUring.
  IoBackend io_backend() const {
    return proactor_ == nullptr ? IoBackend::kEpoll : IoBackend::kIoUring;
  }
  Poller& poller() { return poller_; }
  // Null with kEpoll.
  Proactor* proactor() { return proactor_.get(); }
  FileTurns& file_turns() { return file_turns_; }

  // A line for each thread that waits, with its name and what it waits for. A
  // thread that is just being resumed may be in it.
  std::string BlockedThreads() const;

  // Each worker's events in order, worker after worker; while no Run goes on.
  std::vector<TraceEvent> TraceEvents() const;
  std::int64_t lost_trace_events() const;
  // Time since the pool was made, by a worker's clock.
  double Nanoseconds(int worker) const;
  // Nanoseconds(worker) as a moment, for deadlines (timer.h).
  Deadline Now(int worker) const;

  // What can be used of each stack; the stack in whose guard `address` lies.
  std::size_t stack_bytes() const { return stacks_.usable_bytes(); }
  const Stack* StackWithGuardAt(const void* address) const {
    return stacks_.OverflownStack(address);
  }

  // Virtual time that the latest worker has reached; 0 on real workers.
  double simulated_ns() const;
  // Where the virtual time of all workers went; on real workers all is 0.
  SimulatedTime simulated_time() const;

 private:
  friend class DeadlockWatch;
  friend class Guest;
  friend class ReadyThread;
  friend class ReadyThreads;
  friend class Scheduler;
  friend class Simulator;
  friend class Switcher;
  friend class Thief;
  friend class Thread;
  friend class ThreadCache;
  friend class Worker;
  friend class WorkerWatch;
  friend struct PoolThreads;

  explicit Pool(const PoolOptions& options);
  static std::unique_ptr<Pool> Allocate(const PoolOptions& options);

  // A call from outside, on the caller's stack until it is done.
  struct Call {
    void (*run)(Call&) = nullptr;
    std::exception_ptr error;
    Waiter caller;
    bool done = false;  // before caller is woken; simulated: read by RunUntil
  };
  template <typename F>
  void RunAndWait(F f, bool counts = true) {
    struct FCall : Call {
      explicit FCall(F& function) : f(function) {}
      F& f;
    } call(f);
    call.run = [](Call& base) { static_cast<FCall&>(base).f(); };
    RunCall(call, counts);
  }
  void RunCall(Call& call, bool counts);
  void CheckNotCalledBack() const;
  // For reports: does this worker sleep, as it has nothing to run? The name and depth of the thread
  // that it runs, which may have changed meanwhile.
  bool IsWorkerAsleep(int worker) const { return scheduler(worker).thief().is_asleep(); }
  std::string ThreadOfWorker(int worker) const;
  void WaitOutside(Waiter& waiter, const char* why);
  void CheckAllEnded();
  std::string BlockedStacks() const;  // while no thread runs
  // A line for each thread that waits for a mutex whose holder has ended. While all mutexes that
  // are waited for exist, as in a call of Run.
  std::string EndedHolders() const;
  static void CallMain(void* handoff, void* thread);
  absl::Status StartProactor(IoBackend backend);
  // Memory for some threads, that later ones use; false: there is none.
  bool MakeFirstThreads();
  absl::Status StartWorkers(const std::optional<topo::Topology>& topology,
                            const std::optional<topo::Mapping>& mapping);
  Scheduler& scheduler(int index) const {
    CheckContract(index >= 0 && index < workers(), "a pool's workers have numbers from 0");
    return *schedulers_[static_cast<std::size_t>(index)];
  }
  std::int64_t Finds() const;            // of all workers' searches
  std::int64_t Waits(WokenBy by) const;  // of SuspendCounted

  // Where work is searched, or the pool's locks are taken: a child that one of the pool's threads
  // forked has that thread alone, and workers that are not there may hold the locks for ever.
  void CheckHasWorkers() const {
    CheckContract(simulator_ != nullptr || !is_of_parent_process(),
                  "a child of fork(2) that a thread of a pool forked calls exec or _exit, and "
                  "neither waits nor starts threads: the pool's workers are not in the child");
  }

  bool stopping() const { return stopping_.load(std::memory_order_acquire); }
  void TakeBack(Stack& stack) {
    Stack* one = &stack;
    stacks_.GiveBack({&one, 1});
  }
  void TakeBack(Descriptor& thread) {
    thread.next_free = nullptr;
    descriptors_.GiveBack(&thread);
  }

  const bool has_guests_;
  const int generation_ = ProcessGeneration();
  const std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  Idle idle_;
  Timers timers_{idle_};
  Poller poller_;
  FileTurns file_turns_;
  WaitGraph wait_graph_;
  StackSlabs stacks_;
  DescriptorStore descriptors_{*this};
  std::unique_ptr<Simulator> simulator_;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;  // by worker
  std::vector<JoinedThread> os_threads_;
  std::unique_ptr<Proactor> proactor_;    // before the workers run
  std::atomic<unsigned> next_worker_{0};  // for calls from outside
  OutsideThreads outside_;
  DetachedThreads detached_;
  DeadlockWatch deadlocks_;
  WorkerWatch worker_watch_;
  std::atomic<bool> stopping_{false};
};

}  // namespace lwt
