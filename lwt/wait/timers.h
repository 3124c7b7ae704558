// The timers of a pool: the threads that wait for a moment, and the worker that looks
// after them.
//
// No thread is there for them. A worker with nothing to run sleeps until the
// earliest deadline at the most, if no other worker does so already (the
// keeper); then it fires what is due. Busy workers look once in
// ReadyThreads::kTurnsPerLook times that they turn to their run queue (when a thread
// suspends, yields, or ends other than by returning to its spawner), and once in
// PeriodicCounter::kPeriod times that they spawn.
//
// How late: where a worker is idle, as late as the kernel wakes it (Linux allows
// itself 50 us). Where all are busy, until one of them has turned to its run queue
// kTurnsPerLook times, has spawned kPeriod threads (some 10 us where these return at
// once) or has nothing to run; so the timers of a pool wait while every worker
// computes on without doing any of these, or only forks calls that it makes itself
// (fork_join.h): computations that are that long yield now and then. The woken
// thread is then at the head of the run queue of the worker that fired the timer.
//
// Threads: any, for every member.
// Order: what came before Add happens before the firing. A new deadline and a
//   worker that goes to sleep: Add publishes earliest_, and Idle::Notify fences and
//   looks for sleepers; the worker counts itself as one, fences and looks at
//   earliest_ and kept_. A keeper that finds work gives kept_ up before
//   Idle::EndSearch, which wakes the next if any worker sleeps.
// Progress: a spin lock for the steps of a heap (timer_heap.h). A worker that
//   comes to fire while another does goes on.
//
// tests/timers_model_test.cc runs this code under every interleaving of up to 4 preemptions (larger
// programs of fewer, down to 1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/base/thread_annotations.h"
#include "lwt/machine/atomic.h"
#include "lwt/queue/idle.h"
#include "lwt/wait/timer_heap.h"
#include "lwt/wait/woken_by.h"
#include "topo/spin_lock.h"

namespace lwt {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kLatest = kNever - 1;  // kNever as a deadline is none

// A resource of a pool. Times are nanoseconds of one clock, the caller's.
template <template <typename> class AtomicT, typename IdleT>
class BasicTimers {
 public:
  explicit BasicTimers(IdleT& idle) : idle_(idle) {}

  // Waits until woken, or until the deadline. Then the thread that fires the timer calls
  // `give_up()`, with a lock held: true if from then on no other thread wakes
  // `self`. Returns whether the deadline woke it.
  template <typename Waiter, typename GiveUp>
  bool WakeOrDeadline(Waiter& self, std::int64_t deadline_ns, const char* why, GiveUp give_up) {
    struct TimerOf : Timer {
      TimerOf(GiveUp& given, Waiter& waits) : function(given), waiter(waits) {}
      GiveUp& function;
      Waiter& waiter;
    } timer(give_up, self);
    timer.deadline_ns = deadline_ns;
    timer.wake = [](Timer& base) { static_cast<TimerOf&>(base).waiter.Wake(); };
    timer.give_up = [](Timer& base) { return static_cast<TimerOf&>(base).function(); };
    Add(timer);
    self.Wait(why, WokenBy::kSystem);
    // Fired: by then it is out of the heap. Woken otherwise: a thread that fires may be at it.
    if (!timer.fired) Cancel(timer);
    return timer.fired;
  }

  std::int64_t earliest() const { return earliest_.Load(std::memory_order_acquire); }

  // Wakes the waiters whose deadline is not after `now_ns`.
  void FireDue(std::int64_t now_ns) {
    while (earliest() <= now_ns && lock_.TryLock()) {
      Timer* due = nullptr;
      Timer** last = &due;
      for (int i = 0; i < kBatch; ++i) {
        auto* const timer = static_cast<Timer*>(heap_.earliest());
        if (timer == nullptr || timer->deadline_ns > now_ns) break;
        heap_.Remove(*timer);
        if (!timer->give_up(*timer))
          continue;  // Another thread wakes it, and it takes lock_ before it goes.
        timer->fired = true;
        *last = timer;
        last = &timer->also_due;
      }
      Publish();
      lock_.Unlock();
      while (due != nullptr) {
        Timer* const next = due->also_due;  // Woken, it may be gone.
        due->wake(*due);
        due = next;
      }
    }
  }

  // By a worker that searched in vain: as Idle::Sleep, and not past a deadline
  // that no other worker looks after.
  template <typename HasWork, typename Now>
  void Sleep(HasWork has_work, Now now_ns, std::int64_t longest_ns) {
    const std::int64_t mine = Keep();
    const std::int64_t until =
        mine == kNever ? longest_ns : std::clamp<std::int64_t>(mine - now_ns(), 0, longest_ns);
    idle_.Sleep([&] { return until == 0 || has_work() || NobodyKeeps(); }, until);
    Leave(mine);
  }

  // The deadline that the caller is to look after; kNever: another worker does, or
  // there is none.
  std::int64_t Keep() {
    const std::int64_t next = earliest();
    std::int64_t kept = kept_.Load(std::memory_order_acquire);
    while (next < kept) {
      if (kept_.CompareExchange(kept, next, std::memory_order_acq_rel)) return next;
    }
    return kNever;
  }
  void Leave(std::int64_t mine) {
    if (mine != kNever) kept_.CompareExchange(mine, kNever, std::memory_order_acq_rel);
  }
  // Is there a deadline before which no sleeper wakes up?
  bool NobodyKeeps() const { return earliest() < kept_.Load(std::memory_order_acquire); }

 private:
  static constexpr int kBatch = 64;  // fired with the lock held once

  // On the stack of the waiting thread.
  struct Timer : TimerLink {
    void (*wake)(Timer&) = nullptr;
    bool (*give_up)(Timer&) = nullptr;
    bool fired = false;         // before it is woken
    Timer* also_due = nullptr;  // of the thread that fires it
  };

  void Add(Timer& timer) {
    lock_.Lock();
    heap_.Add(timer);
    const bool is_earliest = heap_.earliest() == &timer;
    if (is_earliest) Publish();
    lock_.Unlock();
    if (is_earliest) idle_.Notify();
  }

  void Cancel(Timer& timer) {
    lock_.Lock();
    if (timer.in_heap) {
      heap_.Remove(timer);
      Publish();
    }
    lock_.Unlock();
  }

  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_) {
    const TimerLink* const first = heap_.earliest();
    earliest_.Store(first == nullptr ? kNever : first->deadline_ns, std::memory_order_release);
  }

  IdleT& idle_;
  topo::BasicSpinLock<AtomicT> lock_;
  TimerHeap heap_ ABSL_GUARDED_BY(lock_);
  AtomicT<std::int64_t> earliest_{kNever};  // written with lock_ held
  AtomicT<std::int64_t> kept_{kNever};      // by which deadline the keeper wakes up
};

using Timers = BasicTimers<Atomic, Idle>;

}  // namespace lwt
