// A worker: an OS thread that runs lightweight threads from its run queue.
//
// Programs and policies see a worker as its run queue's owner (push and pop at
// the head) and other workers as victims (victim.h: put, take and peek at the
// tail): the paper's five operations. Everything else here is how threads start,
// suspend and end, for the headers beside this one.
//
// Threads: a Worker's members only on that worker, from the thread that runs
// there or from its policy. After anything that may suspend the calling thread,
// Worker::Current() may be another.
// Fairness: the head is the newest thread. So that threads which wake each other
// do not keep all others out, one in so many that a worker takes up is the oldest
// that was put, and, more seldom, the oldest at all.
//
// Source: [NNT13] sections 3.3 and 3.4.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "lwt/counters.h"
#include "lwt/machine/descriptor.h"
#include "lwt/machine/fence.h"
#include "lwt/machine/stack.h"
#include "lwt/machine/thread_cache.h"
#include "lwt/policy.h"
#include "lwt/queue/idle.h"
#include "lwt/queue/run_queue.h"
#include "lwt/ready_thread.h"
#include "lwt/simulation.h"
#include "lwt/trace.h"

namespace lwt {

class Pool;
class Victim;
class Worker;
using RunQueue = BasicRunQueue<Atomic, Fence>;
using Idle = BasicIdle<Atomic, Fence>;

// Who may resume a thread that is suspended. Where all threads of a pool wait and
// every one for something that only they can bring, that is a deadlock.
enum class WokenBy {
  kThreads,  // lightweight threads of the pool only
  kAnyone,   // OS threads outside of the pool too
  kSystem,   // a timer or I/O too: never a deadlock
};

// A resource of a pool.
class alignas(64) Worker {
 public:
  // Of the calling OS thread; null outside of pools.
  static Worker* Current();
  // The same for what only lightweight threads may do: elsewhere it ends the
  // program and says so.
  static Worker& Here(const char* call = __builtin_FUNCTION()) {
    Worker* const worker = Current();
    if (worker == nullptr) [[unlikely]] {
      DieOfForeignCall(call);
    }
    return *worker;
  }
  // The same for what policies may not do either, which run on a worker where no
  // thread does.
  static Worker& OfThread(const char* call = __builtin_FUNCTION()) {
    Worker& worker = Here(call);
    if (worker.current_ == nullptr) [[unlikely]] {
      DieOfForeignCall(call);
    }
    return worker;
  }

  // The same for what is done with a thread of `pool`, on a worker of it only.
  static Worker& OfPool(const Pool& pool, const char* call) {
    Worker& worker = Here(call);
    if (&worker.pool_ != &pool) [[unlikely]] {
      DieOfOtherPool(call);
    }
    return worker;
  }

  int index() const { return index_; }
  int workers() const;
  Pool& pool() const { return pool_; }

  // The own head, on this worker only. Push never fails, and takes a thread of this
  // pool; Pop gives the newest, empty if there is none.
  void Push(ReadyThread thread);
  ReadyThread Pop();

  // Precondition: 0 <= worker < workers().
  Victim victim(int worker) const;

  // For policies: uniform, of a generator of this worker's own.
  std::uint32_t Random(std::uint32_t below) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<std::uint32_t>(
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(random_ >> 32)) * below) >> 32);
  }
  // Another worker than this one; this one where it is alone.
  int RandomPeer();

  const Counters& counters() const { return counters_; }

  // What follows is for the headers beside this one: how threads start, suspend
  // and end.

  Worker(Pool& pool, int index, std::uint64_t seed);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Descriptor* current() const { return current_; }
  RunQueue& queue() { return queue_; }
  Idle& idle() const { return idle_; }
  ExceptionGlobals& exceptions() const { return *exceptions_; }

  // Null on real workers.
  Simulator* simulator() const { return simulator_; }
  // Of a simulated worker: moves its clock, by a cost of the model, for that part.
  void Spend(double CostModel::*cost, double SimulatedTime::*part) {
    if (simulator_ != nullptr) [[unlikely]]
      simulator_->Spend(*this, simulator_->costs().*cost, part);
  }
  // For the simulator: what runs on this worker now; the stack of its Loop; who
  // Current() is (returns who was).
  SanitizerFlow& RunningFlow() {
    return current_ == nullptr || current_->stack == nullptr ? loop_flow_ : current_->stack->flow;
  }
  Stack* LoopStack();
  static Worker* BecomeCurrent(Worker* worker);

  ThreadCache& cache() { return cache_; }

  // The head of the run queue has room for one more, for the thread that runs here;
  // false where memory ends. While none runs there never seems to be room, so that who
  // spawns is not asked each time whether it is a thread.
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

  // `child`, which `worker` started and which has run its body, ends. If it had one
  // turn only, it is where it began; if nobody took its parent, whose turns are
  // still those of the spawn, returns where the parent's stack pointer is: the
  // caller goes on as the parent. Else never returns.
  static StackPointer* EndChild(Descriptor& child, bool had_one_turn, Descriptor& parent,
                                std::uint64_t parent_turns, Worker& worker) {
    if (!had_one_turn || !worker.queue_.TryPopIf(parent.item)) [[unlikely]] {
      return EndChildSlowly(child, parent, parent_turns);
    }
    return worker.ReturnTo(parent, parent_turns, child);
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

  // Ends the program if `thread`, which `call` was given, is none that this pool runs.
  void CheckTaken(const Descriptor* thread, const char* call) const;
  // A ReadyThread from its parts, and back.
  static ReadyThread Wrap(Descriptor& thread) { return ReadyThread(&thread); }
  static Descriptor* Unwrap(ReadyThread thread) { return thread.Release(); }

  void Loop();  // of the OS thread

  // Wakes those whose time has come (timers.h): of each so many threads that a
  // worker takes up, before one. The others are about fairness.
  void FireDueTimers();
  static constexpr unsigned kPopsPerLook = 64;
  static constexpr unsigned kPopsPerOldest = 1024;

 private:
  friend class Victim;
  friend class Pool;
  friend class Simulator;

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
  [[noreturn]] static void DieOfForeignCall(const char* call);
  [[noreturn]] static void DieOfOtherPool(const char* call);
  bool MakeRoomSlowly(const char* call);
  void LeaveThreads();
  ReadyThread StealByPolicy();
  bool PolicyHasWork();
  [[noreturn]] void LeaveEnded(Descriptor* next, Stack& stack);
  void NotifySlowly();
  void LookAtTimersAfterSpawns();
  Descriptor* PopReady();
  Descriptor* PopHead();
  Descriptor* ThreadOrPromoted(const Entry& entry);
  Descriptor* Promote(const Entry& record);
  Descriptor* Search();
  Descriptor* BePatient();
  bool AnyWork();
  bool HasOwnWork();
  bool IsRefused();
  void Trace(TraceEvent::Kind kind, int victim = -1, std::uint32_t depth = 0);
  void SleepUntilWorkOrTimer(std::int64_t longest_ns, bool refused);
  StackPointer Enter(Descriptor& thread);
  void SwitchFrom(Descriptor* next, Handoff& handoff, const char* why);
  void PushOrPut(Descriptor& thread);

  // The owner's, the busiest first.
  Descriptor* current_ = nullptr;
  ThreadCache cache_;
  unsigned pops_ = 0;
  unsigned yields_ = 0;
  ExceptionGlobals* exceptions_ = nullptr;  // of the OS thread
  Idle& idle_;
  Pool& pool_;
  Simulator* simulator_ = nullptr;
  const int index_;
  std::uint64_t random_;
  StackPointer loop_ = nullptr;  // Loop's flow while a thread runs
  SanitizerFlow loop_flow_;      // simulated: of loop_stack_
  Stack* loop_stack_ = nullptr;
  std::int64_t stolen_at_ns_ = 0;  // when the last search ended in a steal; else 0
  std::int64_t patience_ns_ = 0;
  int refusals_ = 0;  // rounds of searching in a row without a thread though there are some
  std::atomic<bool> asleep_{false};
  AnyPolicy policy_;
  std::vector<TraceEvent> trace_;  // its capacity is what it may hold
  std::int64_t lost_events_ = 0;
  std::atomic<AnyPolicy*> next_policy_{nullptr};  // from Pool::SetPolicy; taken by the owner
  Counters counters_;
  // By WokenBy: threads that began to wait here, less those that then went on here.
  std::array<Counter, 3> waits_;

  // Shared.
  RunQueue queue_;
};

// A compiler may remember where a thread_local lies, and a thread that was
// suspended meanwhile is on another OS thread now. So nobody but this reads the
// variable, and in a way that the compiler does not see through.
extern "C" {
[[gnu::tls_model("initial-exec")]] extern thread_local Worker* lwt_current_worker;
}
#if defined(__x86_64__)
inline Worker* Worker::Current() {
  Worker* worker;
  asm volatile(
      "mov lwt_current_worker@gottpoff(%%rip), %0\n\t"
      "mov %%fs:(%0), %0"
      : "=r"(worker));
  return worker;
}
#endif

}  // namespace lwt
