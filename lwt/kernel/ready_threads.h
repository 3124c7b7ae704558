// The threads that are ready on a worker, and which of them it runs next: as a rule the head of its
// run queue, now and then the oldest that was put, so that threads which wake each other do not
// keep all others out.
//
// Threads: its worker; queue() as run_queue.h, MakeReady by any.
//
// Source: [NNT13] sections 3.3 and 3.4.
#pragma once

#include <atomic>

#include "lwt/machine/fence.h"
#include "lwt/queue/idle.h"
#include "lwt/queue/run_queue.h"
#include "lwt/ready_thread.h"
#include "lwt/threads/descriptor.h"

namespace lwt {

class Scheduler;
using RunQueue = BasicRunQueue<Atomic, Fence>;

// A resource of a scheduler.
class ReadyThreads {
 public:
  ReadyThreads(Scheduler& scheduler, Idle& idle);

  RunQueue& queue() { return queue_; }

  // The head has room for one more, for the thread that runs here; false where memory
  // ends. While none runs there never seems to be room, so that a spawn need not ask
  // whether it comes from a thread.
  bool MakeRoom(const char* call = __builtin_FUNCTION()) {
    return queue_.HasRoom() || MakeRoomSlowly(call);
  }

  // Wakes a sleeping worker for work that is there now.
  void NotifyOthers() {
    if (idle_.NeedsNotice() && !is_simulated_) idle_.WakeOne();
  }
  // NotifyOthers after the running thread pushed: a scheduling point of simulations.
  void NotifyOfPush() {
    if (idle_.NeedsNotice()) [[unlikely]]
      NotifySlowly();
  }

  // The thread can run again: at the head of the calling worker, or, from an OS thread
  // outside the pool, in the inbox of the worker it last ran on.
  static void MakeReady(Descriptor& thread);
  // MakeReady at this worker's head.
  void PushOrPut(Descriptor& thread);

  // The thread that runs next here, no longer in the queue; null: nothing is queued, or the
  // worker's guest is to leave Park.
  Descriptor* Next();

  // Of a guest (guest.h): Park is to return. Unpark by any thread.
  void Unpark() { is_unparked_.store(true, std::memory_order_seq_cst); }
  bool is_unparked() const { return is_unparked_.load(std::memory_order_acquire); }
  // All that came before Unpark happens before the code behind this call.
  void TakeUnpark() { is_unparked_.exchange(false, std::memory_order_acquire); }
  // The head; null: nothing is queued.
  Descriptor* PopHead();
  // A thread for a record that was taken; null where memory ends.
  Descriptor* Promote(const Entry& record);

  // Wakes waiters whose time has come (timers.h). Next does so once in kTurnsPerLook.
  void FireDueTimers();
  // FireDueTimers for programs that do little but yield, or but spawn.
  void CountYield() {
    // Not turns_: with both in turn, the one would never see the other's multiples.
    if (++yields_ % kTurnsPerLook == 0) FireDueTimers();
  }
  static void OnPeriodOfSpawns();  // of PeriodicCounter, on the calling worker

  // A ReadyThread from its parts, and back.
  static ReadyThread Wrap(Descriptor& thread) { return ReadyThread(&thread); }
  static Descriptor* Unwrap(ReadyThread thread) { return thread.Release(); }
  // Ends the program if `thread`, which `call` was given, is none that this pool runs.
  void CheckGiven(const Descriptor* thread, const char* call) const;

 private:
  static constexpr unsigned kTurnsPerLook = 64;
  static constexpr unsigned kTurnsPerOldest = 1024;

  // Of the calling worker. Static: a member's `this` would cost each fork an instruction.
  static bool MakeRoomSlowly(const char* call);
  static void NotifySlowly();
  Descriptor* ThreadOrPromoted(const Entry& entry);

  Scheduler& scheduler_;
  Idle& idle_;  // of the pool
  const bool is_simulated_;
  std::atomic<bool> is_unparked_{false};
  unsigned turns_ = 0;
  unsigned yields_ = 0;
  RunQueue queue_;
};

}  // namespace lwt
