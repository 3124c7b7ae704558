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
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/kernel/worker_watch.h"
#include "lwt/machine/joined_thread.h"
#include "lwt/machine/process.h"
#include "lwt/machine/stack.h"
#include "lwt/options.h"
#include "lwt/reactor/file_turns.h"
#include "lwt/reactor/poller.h"
#include "lwt/spawn.h"
#include "lwt/timer.h"
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
        worker != nullptr && &Scheduler::OfThread("Pool::Run").shared() == &shared_) {
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
    RunAndWait([&] { f(); }, Counted::kNo);
  }

  // Was this process made by fork(2) from the one that made the pool? Its workers are not here
  // then: Run ends the program with a sentence, and the destructor waits for nothing. A pool that
  // is made here works.
  bool is_of_parent_process() const { return shared_.is_of_parent_process(); }

  // Has the process called exit(3), and is the calling thread a lightweight one, or does a call of
  // Run go on? A pool that is deleted then, as the destructors of static objects do, is left as it
  // is, memory and workers, which end with the process: it has the code that exit was given. An OS
  // thread that has never met lwt is not noticed where the pool had more calls of Run inside the
  // initializer of its static variable than since, nor after about a thousand pools.
  // Detached threads are waited for where neither holds.
  bool IsLeftAtExit() const {
    return IsProcessExiting() && (Worker::Current() != nullptr || shared_.outside.callers() != 0);
  }

  // Each worker takes a copy before its next steal.
  void SetPolicy(const AnyPolicy& policy);

  int workers() const { return shared_.workers(); }
  // Are its workers simulated, in virtual time (simulation.h)?
  bool is_simulated() const { return simulator_ != nullptr; }
  // Precondition: 0 <= index < workers().
  Worker& worker(int index) const { return shared_.scheduler(index); }
  StackSlabs::Counts stacks() const { return shared_.stacks.counts(); }
  Timers& timers() { return shared_.timers; }
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
  std::size_t stack_bytes() const { return shared_.stacks.usable_bytes(); }
  const Stack* StackWithGuardAt(const void* address) const {
    return shared_.stacks.OverflownStack(address);
  }

  // Virtual time that the latest worker has reached; 0 on real workers.
  double simulated_ns() const;
  // Where the virtual time of all workers went; on real workers all is 0.
  SimulatedTime simulated_time() const;

 private:
  explicit Pool(const PoolOptions& options);
  static std::unique_ptr<Pool> Allocate(const PoolOptions& options);

  // A call from outside, on the caller's stack until it is done.
  struct Call {
    void (*run)(Call&) = nullptr;
    std::exception_ptr error;
    Waiter caller;
    bool done = false;  // before caller is woken; simulated: read by RunUntil
  };
  // Does IsLeftAtExit count the call?
  enum class Counted { kYes, kNo };
  template <typename F>
  void RunAndWait(F f, Counted counted = Counted::kYes) {
    struct FCall : Call {
      explicit FCall(F& function) : f(function) {}
      F& f;
    } call(f);
    call.run = [](Call& base) { static_cast<FCall&>(base).f(); };
    RunCall(call, counted);
  }
  void RunCall(Call& call, Counted counted);
  void CheckNotCalledBack() const;
  void WaitOutside(Waiter& waiter, const char* why);
  void CheckAllEnded();
  static void CallMain(void* handoff, void* thread);
  absl::Status StartProactor(IoBackend backend);
  // Memory for some threads, that later ones use; false: there is none.
  bool MakeFirstThreads();
  absl::Status StartWorkers(const std::optional<topo::Topology>& topology,
                            const std::optional<topo::Mapping>& mapping);

  // First, so that it is destroyed last: the others use it.
  PoolShared shared_;
  DeadlockWatch deadlocks_;
  WorkerWatch worker_watch_;
  Poller poller_;
  FileTurns file_turns_;
  std::unique_ptr<Simulator> simulator_;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;  // by worker
  std::vector<JoinedThread> os_threads_;
  std::unique_ptr<Proactor> proactor_;    // before the workers run
  std::atomic<unsigned> next_worker_{0};  // for calls from outside
};

}  // namespace lwt
