#include "lwt/c/cancel.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include "lwt/c/body.h"
#include "lwt/kernel/scheduler.h"

namespace lwt::c {
namespace {

// A thread that waits and can be woken; on its stack.
struct Wakeable {
  Descriptor* thread = nullptr;
  ConditionVariable* changed = nullptr;
  Wakeable* next = nullptr;
};

// One list for a share of all threads.
struct List {
  topo::BasicSpinLock<Atomic> lock;
  Wakeable* first = nullptr;
};
List& ListOf(const Descriptor& thread) {
  static std::array<List, 64> lists;
  return lists[reinterpret_cast<std::uintptr_t>(&thread) / sizeof(Descriptor) % lists.size()];
}

Descriptor* Self() {
  const Scheduler* const scheduler = Scheduler::Current();
  return scheduler == nullptr ? nullptr : scheduler->current();
}

// The mutex as the condition variable sees it: from its unlock, at which the waiter is in the
// condition variable's list, to its lock the thread is wakeable.
//
// `IsOver`, called then: has what the thread waits for come already?
template <typename IsOver>
class WakeableLock {
 public:
  WakeableLock(OwnedLock& mutex, ConditionVariable& changed, IsOver is_over)
      : mutex_(mutex), self_{Self(), &changed}, is_over_(is_over) {}

  void unlock() {
    if (self_.thread != nullptr) {
      List& list = ListOf(*self_.thread);
      list.lock.Lock();
      self_.next = std::exchange(list.first, &self_);
      list.lock.Unlock();
      if (IsCancelled() || is_over_()) self_.changed->NotifyAll();
    }
    mutex_.unlock();
  }
  void lock() {
    if (self_.thread != nullptr) {
      List& list = ListOf(*self_.thread);
      list.lock.Lock();
      Wakeable** link = &list.first;
      while (*link != &self_) link = &(*link)->next;
      *link = self_.next;
      list.lock.Unlock();
    }
    mutex_.lock();
  }

 private:
  OwnedLock& mutex_;
  Wakeable self_;
  IsOver is_over_;
};

}  // namespace

void Cancel(Descriptor& thread) {
  thread.is_cancelled = true;
  EndSleep(thread);
}

void EndSleep(const Descriptor& thread) {
  List& list = ListOf(thread);
  list.lock.Lock();
  for (Wakeable* waiting = list.first; waiting != nullptr; waiting = waiting->next) {
    if (waiting->thread == &thread) waiting->changed->NotifyAll();
  }
  list.lock.Unlock();
}

bool IsCancelled() {
  const Descriptor* const self = Self();
  if (self == nullptr || !self->is_cancelled) return false;
  const Body* const body = CurrentBody();
  return body != nullptr && body->is_cancellable;
}

void EndIfCancelled() {
  if (IsCancelled()) End(kCancelled);
}

void End(void* result) {
  (void)SetCancelState(CancelState::kDisabled);
  throw Exit{result};
}

CancelState SetCancelState(CancelState state) {
  Body* const body = CurrentBody();
  const bool was_cancellable =
      body == nullptr || std::exchange(body->is_cancellable, state == CancelState::kEnabled);
  return was_cancellable ? CancelState::kEnabled : CancelState::kDisabled;
}

bool WaitForChange(ConditionVariable& changed, OwnedLock& mutex, std::optional<Deadline> deadline) {
  EndIfCancelled();
  WakeableLock lock(mutex, changed, [] { return false; });
  bool is_notified = true;
  if (deadline) {
    is_notified = changed.WaitUntil(lock, *deadline) == Waited::kNotified;
  } else {
    changed.Wait(lock);
  }
  EndIfCancelled();
  return is_notified;
}

bool SleepUnlessChanged(std::optional<Deadline> deadline, const std::atomic<std::uint32_t>& word,
                        std::uint32_t value) {
  EndIfCancelled();
  OwnedLock mutex(OwnedLock::kNormal);
  ConditionVariable ended;
  const std::lock_guard lock(mutex);
  const auto is_changed = [&] { return word.load() != value; };
  // Far away rather than never: a thread that waits for what comes from outside of the program is
  // not reported.
  const Deadline end = deadline.value_or(Deadline::max());
  while (!is_changed()) {
    WakeableLock wakeable(mutex, ended, is_changed);
    const bool is_over = ended.WaitUntil(wakeable, end) == Waited::kTimedOut;
    EndIfCancelled();
    if (is_over) return !is_changed();
  }
  return false;
}

void SleepOrEnd(Deadline deadline) {
  OwnedLock mutex(OwnedLock::kNormal);
  ConditionVariable cancelled;
  const std::lock_guard lock(mutex);
  while (WaitForChange(cancelled, mutex, deadline)) {
  }
}

}  // namespace lwt::c
