// Waits until something that a mutex guards has changed.
//
//   std::unique_lock lock(mutex);                 lwt::Mutex mutex;
//   changed.Wait(lock, [&] { return ready; });    lwt::ConditionVariable changed;
//
// Threads: any, inside and outside of pools. Notify with or without the mutex.
//   Destroy when no thread waits and no Notify runs.
// Order: by the mutex. A waiter is in the list before it unlocks the mutex, so
//   a change that is made under the mutex and then notified is not missed.
// Progress: Notify without a waiter is one load; else it holds a spin lock for a few instructions
//   (NotifyAll: for a few per waiter). No waiter is woken without a Notify, but another thread may
//   be quicker with the mutex: look again, or give a predicate. The waiter that has waited longest
//   is woken first. A request to stop wakes the waiters that have a token of it, and spends no
//   Notify.
//
// tests/mutex_model_test.cc runs this code under every interleaving of up to 5 preemptions (larger
// programs of fewer, down to 1).
#pragma once

#include <concepts>
#include <cstdint>
#include <stop_token>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "lwt/machine/atomic.h"
#include "lwt/timer.h"
#include "lwt/wait/wait_list.h"
#include "lwt/wait/wake_on_stop.h"
#include "lwt/waiter.h"
#include "topo/spin_lock.h"

namespace lwt {

enum class [[nodiscard]] Waited{kNotified, kTimedOut};

// A value. `Lock` below has lock() and unlock(), as Mutex and std::unique_lock<Mutex> do; it is
// held by the caller, and again on return.
template <template <typename> class AtomicT, typename Waiter>
class BasicConditionVariable {
 public:
  BasicConditionVariable() = default;
  BasicConditionVariable(const BasicConditionVariable&) = delete;
  BasicConditionVariable& operator=(const BasicConditionVariable&) = delete;

  // Returns after a Notify, perhaps after another thread has changed the condition back: its
  // caller looks again. `why`: a literal, for reports.
  template <typename Lock>
  void Wait(Lock& lock, const char* why = kWhy) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    Waiter self;
    Add(self);
    lock.unlock();
    self.Wait(why);
    lock.lock();
  }

  // Waits until `predicate()`, which is called with the lock held. What it throws leaves Wait, with
  // the lock held.
  template <typename Lock, typename Predicate>
  requires std::predicate<Predicate>
  void Wait(Lock& lock, Predicate predicate, const char* why = kWhy) {
    while (!predicate()) Wait(lock, why);
  }

  // Waits until `predicate()` or until stop is requested; returns what `predicate()` returned last.
  // False: stop was requested. The thread that requests may hold the lock. What `predicate()`
  // throws leaves Wait, with the lock held.
  template <typename Lock, typename Predicate>
  requires std::predicate<Predicate>
  [[nodiscard]] bool Wait(Lock& lock, std::stop_token stop, Predicate predicate,
                          const char* why = kWhy) {
    while (!stop.stop_requested()) {
      if (predicate()) return true;
      WaitOrStop(lock, stop, [&](Waiter& self) { self.Wait(why); });
    }
    return predicate();
  }

  // kTimedOut: the deadline has passed, and no Notify was spent on this thread.
  template <typename Lock>
  Waited WaitUntil(Lock& lock, Deadline deadline) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    Waiter self;
    Add(self);
    lock.unlock();
    const bool timed_out = WakeOrDeadline(self, deadline, kWhy, [&] { return Remove(self); });
    lock.lock();
    return timed_out ? Waited::kTimedOut : Waited::kNotified;
  }

  // Returns what `predicate()` returned last.
  template <typename Lock, typename Predicate>
  [[nodiscard]] bool WaitUntil(Lock& lock, Deadline deadline, Predicate predicate) {
    while (!predicate()) {
      if (WaitUntil(lock, deadline) == Waited::kTimedOut) return predicate();
    }
    return true;
  }

  // As WaitUntil with a predicate, but waits no longer than until stop is requested.
  template <typename Lock, typename Predicate>
  [[nodiscard]] bool WaitUntil(Lock& lock, std::stop_token stop, Deadline deadline,
                               Predicate predicate) {
    while (!stop.stop_requested()) {
      if (predicate()) return true;
      bool timed_out = false;
      WaitOrStop(lock, stop, [&](Waiter& self) {
        timed_out = WakeOrDeadline(self, deadline, kWhy, [&] { return Remove(self); });
      });
      if (timed_out) break;
    }
    return predicate();
  }

  template <typename Lock, typename Rep, typename Period>
  Waited WaitFor(Lock& lock, std::chrono::duration<Rep, Period> timeout) {
    return WaitUntil(lock, DeadlineAfter(timeout));
  }
  template <typename Lock, typename Rep, typename Period, typename Predicate>
  [[nodiscard]] bool WaitFor(Lock& lock, std::chrono::duration<Rep, Period> timeout,
                             Predicate predicate) {
    return WaitUntil(lock, DeadlineAfter(timeout), std::move(predicate));
  }
  template <typename Lock, typename Rep, typename Period, typename Predicate>
  [[nodiscard]] bool WaitFor(Lock& lock, std::stop_token stop,
                             std::chrono::duration<Rep, Period> timeout, Predicate predicate) {
    return WaitUntil(lock, std::move(stop), DeadlineAfter(timeout), std::move(predicate));
  }

  void NotifyOne() {
    if (somebody_waits_.Load(std::memory_order_acquire) == 0) return;
    list_lock_.Lock();
    Waiter* const waiter = static_cast<Waiter*>(waiting_.TakeOldest());
    Publish();
    list_lock_.Unlock();
    if (waiter != nullptr) waiter->Wake();
  }

  void NotifyAll() {
    if (somebody_waits_.Load(std::memory_order_acquire) == 0) return;
    list_lock_.Lock();
    WaitList<Waiter> all = waiting_.TakeAll();
    Publish();
    list_lock_.Unlock();
    all.WakeAll();
  }

 private:
  static constexpr const char* kWhy = "a condition variable";

  void Add(Waiter& self) {
    list_lock_.Lock();
    waiting_.Add(self);
    Publish();
    list_lock_.Unlock();
  }
  // False: a Notify has taken it, and wakes it.
  bool Remove(Waiter& self) {
    list_lock_.Lock();
    const bool removed = waiting_.Remove(self);
    Publish();
    list_lock_.Unlock();
    return removed;
  }
  // `wait(self)` returns once self is woken, by a Notify or by stop. No callback of this thread's
  // is registered while it takes the lock: that may suspend.
  template <typename Lock, typename WaitFunction>
  void WaitOrStop(Lock& lock, const std::stop_token& stop,
                  WaitFunction wait) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    Waiter self;
    Add(self);
    lock.unlock();
    {
      const auto waking = WakeOnStop(stop, self, [this, &self] { return Remove(self); });
      wait(self);
    }
    lock.lock();
  }
  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(list_lock_) {
    somebody_waits_.Store(waiting_.empty() ? 0 : 1, std::memory_order_release);
  }

  topo::BasicSpinLock<AtomicT> list_lock_;
  WaitList<Waiter> waiting_ ABSL_GUARDED_BY(list_lock_);
  // Written with list_lock_ held, before the mutex is unlocked.
  AtomicT<std::uint32_t> somebody_waits_;
};

using ConditionVariable = BasicConditionVariable<Atomic, Waiter>;

}  // namespace lwt
