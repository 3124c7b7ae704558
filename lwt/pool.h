// A pool of workers, and the way into it.
//
//   auto pool = lwt::Pool::Create({.workers = 4});
//   const int result = (*pool)->Run([] { return Fib(30); });
//
// Threads: Run and SetPolicy from any OS thread, several at a time; Run of a
// simulated pool by one at a time. Run called by a thread of the pool calls its
// function there; called by a thread of another pool it suspends that thread (on
// simulated workers, whose time does not pass meanwhile, it holds them up: so what a
// thread runs on a simulated pool does not call that thread's own pool back). Destroy
// the pool from outside of it, when nobody is in Run and each thread has been joined
// or detached; that waits for threads that were detached.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "lwt/contract.h"
#include "lwt/machine/stack.h"
#include "lwt/reactor/poller.h"
#include "lwt/reactor/timers.h"
#include "lwt/spawn.h"
#include "lwt/timer.h"
#include "lwt/waiter.h"
#include "lwt/worker.h"
#include "topo/spin_lock.h"
#include "topo/topo.h"

namespace lwt {

struct PoolOptions {
  // 0: as many as this machine does at once (topo's default_threads).
  int workers = 0;
  // Address space of each thread's stack, 16 KiB to 64 GiB (its guard comes on top of
  // it); memory is used as it is touched, page by page.
  std::size_t stack_bytes = 64 << 10;
  AnyPolicy policy = RandomVictim();
  // Which PUs the workers are pinned to. kNone: the system decides, which on a
  // machine shared with others is the best.
  topo::Policy placement = topo::Policy::kNone;
  // Of the workers' random numbers, and of the simulation.
  std::uint64_t seed = 1;
  // How many events of its own each worker keeps (trace.h), up to 2^28; 0: none.
  std::size_t trace_events = 0;
  // May OS threads outside of the pool, later calls of Run among them, wake who
  // waits for a mutex, a condition variable, a barrier, an event, a channel, ...?
  // If not, threads that all wait for each other there end the program with a
  // list of them, as those that all join each other always do. Who waits with a
  // deadline or for I/O is no deadlock.
  bool woken_from_outside = true;
  // If so, a call of Run in which for so long nothing could run and nobody waited
  // with a deadline or for I/O: the list is printed, once, and the pool goes on
  // waiting. 0: never.
  std::chrono::nanoseconds stall_report_after = std::chrono::seconds(2);
  // Virtual workers instead of OS threads. There all of this is a Deadlock.
  std::optional<SimulationOptions> simulation = {};
};

// A resource.
class Pool {
 public:
  // Errors: InvalidArgument, with the field and its value, for options of which no pool
  // can be made, and for placements that topo refuses; ResourceExhausted where no more
  // OS threads can be started, or the traces have no memory.
  static absl::StatusOr<std::unique_ptr<Pool>> Create(const PoolOptions& options = {});
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Runs `f()` as a lightweight thread and waits for it; returns what it returns
  // and throws what it throws.
  template <typename F>
  std::invoke_result_t<F> Run(F&& f) {
    using Result = std::invoke_result_t<F>;
    if (const Worker* const worker = Worker::Current();
        worker != nullptr && &Worker::OfThread("Pool::Run").pool() == this) {
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

  // Each worker takes a copy before its next steal.
  void SetPolicy(const AnyPolicy& policy);

  int workers() const { return static_cast<int>(workers_.size()); }
  // Precondition: 0 <= index < workers().
  Worker& worker(int index) const {
    CheckContract(index >= 0 && index < workers(), "a pool's workers have numbers from 0");
    return *workers_[static_cast<std::size_t>(index)];
  }
  StackSlabs::Counts stacks() const { return stacks_.counts(); }
  Timers& timers() { return timers_; }
  Poller& poller() { return poller_; }

  // A line for each thread that waits, with its name and what it waits for. A
  // thread that is just being resumed may be in it.
  std::string BlockedThreads();

  // Each worker's events in order, worker after worker; while no Run goes on.
  std::vector<TraceEvent> TraceEvents() const;
  std::int64_t lost_trace_events() const;
  // Since the pool was made, by a worker's clock.
  double Nanoseconds(int worker) const;
  // The same as a moment, for deadlines (timer.h).
  Deadline Now(int worker) const;

  // Threads that were detached and have not ended; by Thread and Worker.
  void CountDetached(int change);

  // What can be used of each stack; the stack in whose guard `address` lies.
  std::size_t stack_bytes() const { return stacks_.usable_bytes(); }
  const Stack* StackWithGuardAt(const void* address) const {
    return stacks_.OverflownStack(address);
  }

  // Virtual time that the latest worker has reached; 0 on real workers.
  double simulated_ns() const { return simulator_ == nullptr ? 0 : simulator_->Now(); }
  // Where the virtual time of all workers went; on real workers all is 0.
  SimulatedTime simulated_time() const {
    return simulator_ == nullptr ? SimulatedTime() : simulator_->time();
  }

 private:
  friend class Worker;
  friend class ReadyThread;
  friend class ThreadCache;
  friend struct PoolThreads;

  explicit Pool(const PoolOptions& options)
      : woken_from_outside_(options.woken_from_outside),
        stall_report_after_(options.stall_report_after),
        stacks_(options.stack_bytes) {}

  // A call from outside, on the caller's stack until it is done.
  struct Call {
    void (*run)(Call&) = nullptr;
    std::exception_ptr error;
    Waiter caller;
    bool done = false;  // before caller is woken; simulated: read by who runs the workers
  };
  template <typename F>
  void RunAndWait(F f) {
    struct FCall : Call {
      explicit FCall(F& function) : f(function) {}
      F& f;
    } call(f);
    call.run = [](Call& base) { static_cast<FCall&>(base).f(); };
    RunCall(call);
  }
  void RunCall(Call& call);
  void CheckNotCalledBack() const;
  static void WaitOutside(Waiter& waiter, const char* why);
  void CheckAllEnded();
  static void CallMain(void* handoff, void* thread);
  // By a worker that found no work and is counted as a sleeper: ends the program,
  // or warns, if nothing can run any more.
  void CheckForDeadlock(Worker& worker);
  bool IsStall(std::int64_t finds);
  std::int64_t Finds() const;
  std::int64_t Waits(WokenBy by) const;  // of SuspendCounted

  bool stopping() const { return stopping_.load(std::memory_order_acquire); }
  std::vector<Descriptor*> TakeDescriptors(int count);
  void GiveBackDescriptors(Descriptor* list);
  std::size_t TakeStacks(std::span<Stack*> stacks) { return stacks_.Take(stacks); }
  void TakeBack(Stack& stack) {
    Stack* one = &stack;
    stacks_.GiveBack({&one, 1});
  }
  void TakeBack(Descriptor& thread) {
    thread.next_free = nullptr;
    GiveBackDescriptors(&thread);
  }

  const bool woken_from_outside_;
  const std::chrono::nanoseconds stall_report_after_;
  Idle idle_;
  Timers timers_{idle_};
  topo::BasicSpinLock<Atomic> wait_graph_;  // who waits for which mutex (owner.h)
  Atomic<std::int64_t> mutex_waits_{0};     // threads that do
  StackSlabs stacks_;
  std::unique_ptr<Simulator> simulator_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Descriptor[]>> descriptor_blocks_;  // under mutex_
  Descriptor* free_descriptors_ = nullptr;                        // under mutex_
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> os_threads_;
  std::atomic<unsigned> next_worker_{0};  // for calls from outside
  std::atomic<int> callers_{0};           // who are in Run, from outside
  std::atomic<int> calls_{0};             // from outside that are not done
  std::atomic<int> outside_wakers_{0};    // OS threads that are making one ready
  std::mutex stall_mutex_;
  struct {
    std::int64_t finds = -1;  // of all workers, when they all slept; the next is another stall
    std::chrono::steady_clock::time_point since;
    bool reported = false;
  } stall_;  // under stall_mutex_
  const std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  Poller poller_;
  std::mutex detached_mutex_;
  Waiter* destroyer_ = nullptr;   // who waits for them; under detached_mutex_
  int detached_ = 0;              // under detached_mutex_
  bool is_none_detached_ = true;  // likewise
  std::atomic<bool> stopping_{false};
};

}  // namespace lwt
