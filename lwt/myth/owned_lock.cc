#include "lwt/myth/owned_lock.h"

#include <cerrno>
#include <limits>

#include "lwt/contract.h"
#include "lwt/schedule/scheduler.h"

namespace lwt::c {

// Not inlined: after a switch the OS thread is another.
[[gnu::noinline]] std::uintptr_t ThreadMark() {
  if (Scheduler* const scheduler = Scheduler::Current();
      scheduler != nullptr && scheduler->current() != nullptr) {
    return reinterpret_cast<std::uintptr_t>(scheduler->current()->stack) - sizeof(void*);
  }
  thread_local char mark;
  return reinterpret_cast<std::uintptr_t>(&mark);
}

namespace {

// The mark of a mutex whose next owner has not gone on yet: of no thread, because that one still
// waits, and a search for cycles would find that it waits for itself.
constexpr std::uintptr_t kHandedOver = 1;

}  // namespace

struct OwnedLock::Candidate : Waiter {
  std::uintptr_t mark = ThreadMark();
  bool was_woken = false;  // set by the candidate, while it is in no list
  bool holds = false;      // set by Unlock, before it wakes the candidate
};

std::optional<int> OwnedLock::TakeOrRefuse(std::uintptr_t self) {
  const std::uintptr_t owner = owner_.mark();
  if (owner == 0) {
    owner_.SetTo(self);
    return 0;
  }
  if (owner != self) return {};
  if (kind_ == kErrorcheck) return EDEADLK;
  if (kind_ != kRecursive) return {};
  if (times_ == std::numeric_limits<std::uint32_t>::max()) return EAGAIN;
  ++times_;
  return 0;
}

int OwnedLock::Lock(std::optional<Deadline> deadline) {
  Candidate self;
  while (true) {
    list_lock_.Lock();
    const std::optional<int> result = TakeOrRefuse(self.mark);
    if (!result) self.was_woken ? waiting_.AddAsOldest(self) : waiting_.Add(self);
    const bool is_first = times_ == 0;
    list_lock_.Unlock();
    if (result) {
      if (*result == 0 && is_first) owner_.OnTaken();
      return *result;
    }
    if (deadline) {
      const bool gave_up = WakeOrDeadline(self, *deadline, "a mutex", [&] {
        list_lock_.Lock();
        const bool removed = waiting_.Remove(self);
        list_lock_.Unlock();
        return removed;
      });
      if (gave_up) return ETIMEDOUT;
    } else {
      owner_.BeginWait();
      self.Wait("a mutex");
      owner_.EndWait();
    }
    if (self.holds) {
      owner_.SetTo(self.mark);
      owner_.OnTaken();
      return 0;
    }
    self.Reset();
    self.was_woken = true;
  }
}

int OwnedLock::TryLock() {
  list_lock_.Lock();
  const std::optional<int> result = TakeOrRefuse(ThreadMark());
  const bool is_first = times_ == 0;
  list_lock_.Unlock();
  if (result == 0 && is_first) owner_.OnTaken();
  return !result || *result == EDEADLK ? EBUSY : *result;
}

int OwnedLock::Unlock() {
  list_lock_.Lock();
  const std::uintptr_t owner = owner_.mark();
  if (owner == 0 || owner != ThreadMark()) {
    if (kind_ == kRecursive || kind_ == kErrorcheck) {
      list_lock_.Unlock();
      return EPERM;
    }
    CheckContract(owner != 0,
                  "a mutex is unlocked by the thread that holds it: nobody held this one");
  }
  if (times_ > 0) {
    --times_;
    list_lock_.Unlock();
    return 0;
  }
  owner_.OnFreed();
  auto* const next = static_cast<Candidate*>(waiting_.TakeOldest());
  if (next != nullptr && next->was_woken) {
    next->holds = true;
    owner_.SetTo(kHandedOver);
  } else {
    owner_.SetTo(0);
  }
  list_lock_.Unlock();
  // The mutex may be gone.
  if (next != nullptr) next->Wake();
  return 0;
}

bool OwnedLock::RefusesUnlock() {
  if (kind_ != kRecursive && kind_ != kErrorcheck) return false;
  list_lock_.Lock();
  const bool refuses = owner_.mark() != ThreadMark();
  list_lock_.Unlock();
  return refuses;
}

bool OwnedLock::IsHeld() {
  list_lock_.Lock();
  const bool is_held = owner_.mark() != 0;
  list_lock_.Unlock();
  return is_held;
}

}  // namespace lwt::c
