// What the library needs of a worker: how lightweight threads start, suspend, are resumed and end
// on it, and which one it runs next.
//
// Threads: a Scheduler's members only on its worker, but for MakeReady.
//
// Source: [NNT13] sections 3.3 and 3.4.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "lwt/counters.h"
#include "lwt/machine/descriptor.h"
#include "lwt/machine/fence.h"
#include "lwt/machine/stack.h"
#include "lwt/machine/thread_cache.h"
#include "lwt/queue/idle.h"
#include "lwt/queue/run_queue.h"
#include "lwt/ready_thread.h"
#include "lwt/simulation.h"
#include "lwt/steal/thief.h"
#include "lwt/trace.h"
#include "lwt/worker.h"

namespace lwt {

struct PoolOptions;
using RunQueue = BasicRunQueue<Atomic, Fence>;
using Idle = BasicIdle<Atomic, Fence>;

// What may resume a suspended thread. If all threads of a pool wait, each for
// something that only they can bring, that is a deadlock.
enum class WokenBy {
  kThreads,  // lightweight threads of the pool only
  kAnyone,   // OS threads outside of the pool too
  kSystem,   // a timer or I/O too: never a deadlock
};

// A resource of a pool.
class alignas(64) Scheduler final : public Worker {
 public:
  Scheduler(Pool& pool, int index, std::uint64_t seed, const PoolOptions& options,
            Simulator* simulator);

  // Worker's, of the calling OS thread.
  static Scheduler* Current() { return static_cast<Scheduler*>(Worker::Current()); }
  static Scheduler& Here(const char* call = __builtin_FUNCTION()) {
    return static_cast<Scheduler&>(Worker::Here(call));
  }
  // The same for what policies may not do, which run on a worker where no thread does.
  static Scheduler& OfThread(const char* call = __builtin_FUNCTION()) {
    Scheduler& scheduler = Here(call);
    if (scheduler.current_ == nullptr) [[unlikely]] {
      DieOfForeignCall(call);
    }
    return scheduler;
  }
  // The same for what is done with a thread of `pool`, on a worker of it only.
  static Scheduler& OfPool(const Pool& pool, const char* call) {
    Scheduler& scheduler = Here(call);
    if (&scheduler.pool_ != &pool) [[unlikely]] {
      DieOfOtherPool(call);
    }
    return scheduler;
  }

  // The thread that runs here; null: none.
  Descriptor* current() const { return current_; }
  RunQueue& queue() { return queue_; }
  const RunQueue& queue() const { return queue_; }
  ThreadCache& cache() { return cache_; }
  Idle& idle() const { return idle_; }
  Thief& thief() { return thief_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  TraceBuffer& trace() { return trace_; }
  const TraceBuffer& trace() const { return trace_; }
  void Trace(TraceEvent::Kind kind, int victim = -1, std::uint32_t depth = 0);
  // Threads that began to wait here, less those that then went on here.
  std::int64_t waits(WokenBy by) const { return waits_[static_cast<std::size_t>(by)].value(); }

  // Null on real workers.
  Simulator* simulator() const { return simulator_; }
  // Of a simulated worker: moves its clock, by a cost of the model, for that part.
  void Spend(double CostModel::*cost, double SimulatedTime::*part) {
    if (simulator_ != nullptr) [[unlikely]]
      simulator_->Spend(*this, simulator_->costs().*cost, part);
  }

  // The head of the run queue has room for one more, for the thread that runs here;
  // false where memory ends. While none runs there never seems to be room, so that a spawn
  // need not ask whether it comes from a thread.
  bool MakeRoom(const char* call = __builtin_FUNCTION()) {
    return queue_.HasRoom() || MakeRoomSlowly(call);
  }

  // Wakes a sleeper for work that is there now.
  void NotifyOthers() {
    if (idle_.NeedsNotice() && simulator_ == nullptr) idle_.WakeOne();
  }
  // The same after the running thread pushed: a scheduling point of simulations.
  void NotifyOfPush() {
    if (idle_.NeedsNotice()) [[unlikely]]
      NotifySlowly();
  }

  // `child`, of the cache and with its body in place, starts on this worker in place
  // of `parent`, which is suspended: its continuation goes to the head.
  void StartChild(Descriptor& child, Descriptor& parent) {
    if (exceptions_->any()) [[unlikely]] {
      parent.exceptions = std::exchange(*exceptions_, ExceptionGlobals());
    }
    child.depth = parent.depth + 1;
    child.inherited = parent.inherited;
    ++child.turns;
    current_ = &child;
    queue_.Push(EntryOf(parent));
    if (counters_.spawns.Add()) [[unlikely]]
      LookAtTimersAfterSpawns();
    NotifyOfPush();
  }

  // `child`, which `scheduler` started and which has run its body, ends. If it had one
  // turn only, it is where it began; if nobody took its parent, whose turns are
  // still those of the spawn, returns where the parent's stack pointer is: the
  // caller goes on as the parent. Else never returns.
  static StackPointer* EndChild(Descriptor& child, bool had_one_turn, Descriptor& parent,
                                std::uint64_t parent_turns, Scheduler& scheduler) {
    if (!had_one_turn || !scheduler.queue_.TryPopIf(parent.item)) [[unlikely]] {
      return EndChildSlowly(child, parent, parent_turns);
    }
    return scheduler.ReturnTo(parent, parent_turns, child);
  }

  // Suspends the calling thread and runs `handoff.run` on whatever runs next here.
  static void Suspend(Handoff& handoff, const char* why);
  // The same where others than the pool's threads may make it ready: the pool
  // counts such threads.
  static void SuspendCounted(Handoff& handoff, const char* why, WokenBy by);
  // Puts the calling thread at the tail and runs the head, if there is any.
  static bool Yield();  // was there any?
  // Ends the calling thread.
  [[noreturn]] static void End(Descriptor& thread);
  // `thread`, that nobody will join, has ended or was dropped. Ends the program with
  // what it threw.
  static void ForgetDetached(Descriptor& thread, Pool& pool);
  // What a thread does first when it is resumed, or started, with `handoff`
  // (null: by EndChild).
  static void Resumed(Descriptor& thread, Handoff* handoff);

  // The thread can run again: at the head of this worker, or, from an OS thread
  // outside the pool, in the inbox of the worker it last ran on.
  static void MakeReady(Descriptor& thread);
  // The same at this worker's head.
  void PushOrPut(Descriptor& thread);

  // Ends the program if `thread`, which `call` was given, is none that this pool runs.
  void CheckTaken(const Descriptor* thread, const char* call) const;
  // A ReadyThread from its parts, and back.
  static ReadyThread Wrap(Descriptor& thread) { return ReadyThread(&thread); }
  static Descriptor* Unwrap(ReadyThread thread) { return thread.Release(); }

  // A thread for a record that was taken; null where memory ends.
  Descriptor* Promote(const Entry& record);
  // What runs next here, as a rule the head; null: nothing is queued.
  Descriptor* PopReady();
  Descriptor* PopHead();

  // Runs threads until the pool stops.
  void Loop();
  // For the simulator: what runs on this worker now; the stack of its Loop; who
  // Current() is (returns who was).
  SanitizerFlow& RunningFlow() {
    return current_ == nullptr || current_->stack == nullptr ? loop_.flow : current_->stack->flow;
  }
  Stack* LoopStack();
  void GiveBackStacks();
  ExceptionGlobals& exceptions() const { return *exceptions_; }
  void SetExceptions(ExceptionGlobals& of_os_thread) { exceptions_ = &of_os_thread; }
  static Scheduler* BecomeCurrent(Scheduler* scheduler);

  // Wakes those whose time has come (timers.h): of each so many threads that a
  // worker takes up, before one. The others are about fairness.
  void FireDueTimers();
  static constexpr unsigned kPopsPerLook = 64;
  static constexpr unsigned kPopsPerOldest = 1024;

 private:
  // The flow of control of Loop.
  struct LoopFlow {
    StackPointer sp = nullptr;  // while a thread runs
    SanitizerFlow flow;         // simulated: of `stack`
    Stack* stack = nullptr;
  };

  static StackPointer* EndChildSlowly(Descriptor& child, Descriptor& parent,
                                      std::uint64_t parent_turns);
  // EndChild, once `parent` is out of the run queue.
  StackPointer* ReturnTo(Descriptor& parent, std::uint64_t parent_turns, Descriptor& child,
                         bool is_new_turn = false) {
    if (parent.turns != parent_turns) [[unlikely]] {
      PutBackAndEnd(parent, child);
    }
    parent.turns += is_new_turn;
    current_ = &parent;
    if (parent.exceptions.any()) [[unlikely]] {
      *exceptions_ = std::exchange(parent.exceptions, ExceptionGlobals());
    }
    [[maybe_unused]] Stack& stack = *child.stack;
    cache_.Lend(child);
    child.completion.FinishUnseen();
    if constexpr (kSanitizersFollowStacks) {
      // Nothing instrumented, as a return, may come after this.
      stack.flow.LeaveForEver(parent.stack->flow);
      SwitchTo(stack.left, parent.sp, nullptr);
    }
    return &parent.sp;
  }
  [[noreturn]] void PutBackAndEnd(Descriptor& parent, Descriptor& child);
  [[noreturn]] static void DieOfOtherPool(const char* call);
  bool MakeRoomSlowly(const char* call);
  void LeaveThreads();
  [[noreturn]] void LeaveEnded(Descriptor* next, Stack& stack);
  void NotifySlowly();
  void LookAtTimersAfterSpawns();
  Descriptor* ThreadOrPromoted(const Entry& entry);
  StackPointer Enter(Descriptor& thread);
  void SwitchFrom(Descriptor* next, Handoff& handoff, const char* why);

  // The owner's, the busiest first.
  Descriptor* current_ = nullptr;
  ThreadCache cache_;
  unsigned pops_ = 0;
  unsigned yields_ = 0;
  ExceptionGlobals* exceptions_ = nullptr;  // of the OS thread
  Idle& idle_;
  Simulator* const simulator_;
  LoopFlow loop_;
  Thief thief_;
  TraceBuffer trace_;
  Counters counters_;
  std::array<Counter, 3> waits_;  // by WokenBy

  // Shared.
  RunQueue queue_;
};

}  // namespace lwt
