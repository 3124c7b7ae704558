// A worker: an OS thread that runs lightweight threads from its run queue.
//
// Programs and policies see a worker as its run queue's owner (push and pop at
// the head) and other workers as victims (put, take and peek at the tail): the
// paper's five operations. Everything else here is how threads start, suspend
// and end, for the headers beside this one.
//
// Threads: a Worker's members only on that worker, from the thread that runs
// there or from its policy; a Victim's on any worker of the pool. After anything
// that may suspend the calling thread, Worker::Current() may be another.
//
// Source: [NNT13] sections 3.3 and 3.4.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lwt/counters.h"
#include "lwt/descriptor.h"
#include "lwt/fence.h"
#include "lwt/idle.h"
#include "lwt/policy.h"
#include "lwt/ready_thread.h"
#include "lwt/run_queue.h"
#include "lwt/simulation.h"
#include "lwt/stack.h"
#include "lwt/trace.h"

namespace lwt {

class Pool;
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

// A value. A worker as others see it: the tail of its run queue.
class Victim {
 public:
  // Adds a thread at the tail. Never fails.
  void Put(ReadyThread thread) const;

  // Takes the thread at the tail; empty if there is none or another thief is at
  // it.
  ReadyThread Take() const;

  // Takes it if `wanted(thread)`, which runs with the tail held and must be short.
  // Records (fork_join.h) are not asked about and stay.
  template <typename Wanted>
  ReadyThread TakeIf(Wanted wanted) const;

  // A copy of the hint at the tail, without a lock; nullopt where the queue is
  // empty or the hint is of another size. It may be stale when it arrives, but
  // it is a hint that some thread had.
  template <Hint T>
  std::optional<T> Peek() const {
    T hint{};
    if (!PeekBytes(std::as_writable_bytes(std::span(&hint, 1)))) return std::nullopt;
    return hint;
  }

  // How many threads a thief may hope for; a moment later it may be another number.
  std::int64_t size() const;

  // As Peek, for hints of any size: copies what fits, `bytes` is its size. The
  // thread at the tail (nothing of it may be used), null where there is none or
  // its hint is being written.
  Descriptor* PeekThread(std::span<std::byte> hint, std::size_t& bytes) const;

 private:
  friend class Worker;
  explicit Victim(Worker& worker) : worker_(&worker) {}
  ReadyThread Taken(lwt::Take result, const Entry& entry) const;
  bool PeekBytes(std::span<std::byte> hint) const;
  Worker* worker_;
};

// A resource of a pool.
class alignas(64) Worker {
 public:
  // Of the calling OS thread; null outside of pools. Never inlined: a compiler
  // that remembers it across a suspension remembers the wrong one.
  static Worker* Current();
  // The same for what only lightweight threads may do: elsewhere it ends the
  // program and says so.
  static Worker& Here();

  int index() const { return index_; }
  int workers() const;
  Pool& pool() const { return pool_; }

  // The own head. Push never fails.
  void Push(ReadyThread thread);
  ReadyThread Pop();

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
  // Of a simulated worker: moves its clock, by a cost of the model.
  void Spend(double CostModel::*cost) {
    if (simulator_ != nullptr) [[unlikely]]
      simulator_->Spend(*this, simulator_->costs().*cost);
  }
  // For the simulator: what runs on this worker now; the stack of its Loop; who
  // Current() is (returns who was).
  SanitizerFlow& RunningFlow() {
    return current_ == nullptr || current_->stack == nullptr ? loop_flow_ : current_->stack->flow;
  }
  Stack* LoopStack();
  static Worker* BecomeCurrent(Worker* worker);

  // A thread with a stack and nothing on it; null where memory ends.
  Descriptor* NewThread() {
    Descriptor* const thread = warm_threads_;
    if (thread == nullptr) [[unlikely]]
      return NewThreadSlowly();
    warm_threads_ = thread->next_free;
    --warm_thread_count_;
    return thread;
  }
  // What NewThread gave and was never started, or has ended and was joined.
  void FreeThread(Descriptor& thread) {
    if (thread.stack == nullptr) [[unlikely]]
      return FreeColdThread(thread);
    thread.next_free = warm_threads_;
    warm_threads_ = &thread;
    if (++warm_thread_count_ > kMostFree) [[unlikely]]
      GiveBackHalf();
  }
  // A stack that nobody runs on any more, or that is just being left.
  void FreeStack(Stack& stack) {
    stack.next_free = free_stacks_;
    free_stacks_ = &stack;
    if (++free_stack_count_ > kMostFree) [[unlikely]]
      GiveBackHalf();
  }

  // The head of the run queue has room for one more; false where memory ends.
  bool MakeRoom() { return queue_.HasRoom() || queue_.Grow(); }

  // Wakes a sleeper for work that is there now.
  void NotifyOthers() {
    if (idle_.NeedsNotice() && simulator_ == nullptr) idle_.WakeOne();
  }
  // The same after the running thread pushed: a scheduling point of simulations.
  void NotifyOfPush() {
    if (idle_.NeedsNotice()) [[unlikely]]
      NotifySlowly();
  }

  // `child`, made by NewThread with its body in place, starts on this worker in
  // place of `parent`, which is suspended: its continuation goes to the head.
  void StartChild(Descriptor& child, Descriptor& parent) {
    if (exceptions_->caught != nullptr || exceptions_->uncaught != 0) [[unlikely]] {
      parent.exceptions = std::exchange(*exceptions_, ExceptionGlobals());
    }
    child.depth = parent.depth + 1;
    child.resumed = 0;
    current_ = &child;
    queue_.Push(EntryOf(parent));
    if (counters_.spawns.Add()) [[unlikely]]
      LookAtTimersAfterSpawns();
    NotifyOfPush();
  }

  // `child`, which `worker` started and which has run its body, ends. If nobody
  // took its parent, suspended when StartChild was called and resumed `resumed`
  // times before, returns where the parent's stack pointer is: the caller goes on
  // as the parent. Else never returns.
  static StackPointer* EndChild(Descriptor& child, Descriptor& parent, Worker& worker,
                                std::uint32_t resumed) {
    // A child that was never suspended is where it began.
    Worker& self = child.resumed == 0 ? worker : *Current();
    if (!self.queue_.PopIf(reinterpret_cast<std::uintptr_t>(&parent))) [[unlikely]] {
      EndSlowly(child);
    }
    if (parent.resumed != resumed) [[unlikely]] {
      self.queue_.Push(EntryOf(parent));  // It waits there for another reason.
      EndSlowly(child);
    }
    self.current_ = &parent;
    if (parent.exceptions.caught != nullptr || parent.exceptions.uncaught != 0) [[unlikely]] {
      *self.exceptions_ = std::exchange(parent.exceptions, ExceptionGlobals());
    }
    Stack& stack = *child.stack;
    if (self.free_stacks_ == nullptr) {
      // The child keeps its stack until it is joined, unless the next one needs it.
      child.stack = nullptr;
      self.FreeStack(stack);  // Nobody else gets it from here before this returns.
    }
    child.completion.FinishUnseen();
    if constexpr (kSanitizersFollowStacks) {
      // Nothing instrumented, as a return, may come after this.
      stack.flow.LeaveForEver(parent.stack->flow);
      SwitchTo(stack.left, parent.sp, nullptr);
    }
    return &parent.sp;
  }

  // Suspends the calling thread and runs `handoff.run` on whatever runs next here.
  static void Suspend(Handoff& handoff, const char* why);
  // The same where others than the pool's threads may make it ready: the pool
  // counts such threads.
  static void SuspendCounted(Handoff& handoff, const char* why, WokenBy by);
  // Ends the calling thread.
  [[noreturn]] static void End(Descriptor& thread);
  // What a thread does first when it is resumed, or started, with `handoff`
  // (null: by EndChild).
  static void Resumed(Descriptor& thread, Handoff* handoff);

  // The thread can run again: at the head of this worker, or, from an OS thread
  // outside the pool, in the inbox of the worker it last ran on.
  static void MakeReady(Descriptor& thread);

  // A ReadyThread from its parts, and back.
  static ReadyThread Wrap(Descriptor& thread) { return ReadyThread(&thread); }
  static Descriptor* Unwrap(ReadyThread thread) { return thread.Release(); }

  void Loop();  // of the OS thread

  // Wakes those whose time has come (timers.h): at once, or one time in so many.
  void FireDueTimers();
  static constexpr unsigned kPopsPerLook = 64;
  void LookAtTimers() {
    if (++pops_ % kPopsPerLook == 0) [[unlikely]]
      FireDueTimers();
  }

 private:
  friend class Victim;
  friend class Pool;
  friend class Simulator;

  [[noreturn]] static void EndSlowly(Descriptor& child);
  [[noreturn]] void LeaveEnded(Descriptor* next, Stack& stack);
  Descriptor* NewThreadSlowly();
  void FreeColdThread(Descriptor& thread);
  void GiveBackHalf();
  void NotifySlowly();
  void LookAtTimersAfterSpawns();
  Descriptor* PopReady();
  Descriptor* Promote(Record& record);
  Descriptor* Search();
  Descriptor* BePatient();
  bool AnyWork();
  void Trace(TraceEvent::Kind kind, int victim = -1, std::uint32_t depth = 0);
  void SleepUntilWorkOrTimer(std::int64_t longest_ns);
  StackPointer Enter(Descriptor& thread);
  void PushOrPut(Descriptor& thread);

  static constexpr int kMostFree = 128;

  // The owner's, the busiest first.
  Descriptor* current_ = nullptr;
  Descriptor* warm_threads_ = nullptr;  // with stacks
  Descriptor* cold_threads_ = nullptr;  // without
  Stack* free_stacks_ = nullptr;
  int warm_thread_count_ = 0;
  int cold_thread_count_ = 0;
  int free_stack_count_ = 0;
  unsigned pops_ = 0;
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
  AnyPolicy policy_;
  std::vector<TraceEvent> trace_;  // its capacity is what it may hold
  std::int64_t lost_events_ = 0;
  std::atomic<AnyPolicy*> next_policy_{nullptr};  // from Pool::SetPolicy; taken by the owner
  Counters counters_;

  // Shared.
  RunQueue queue_;
};

template <typename Wanted>
ReadyThread Victim::TakeIf(Wanted wanted) const {
  Entry entry;
  const lwt::Take result = worker_->queue().TakeIf(entry, [&](const Entry& found) {
    return !IsRecord(found.item) && wanted(ThreadOf(found.item));
  });
  return Taken(result, entry);
}

}  // namespace lwt
