#include "lwt/myth/shared_lock.h"

#include <cerrno>
#include <utility>

#include "lwt/myth/owned_lock.h"

namespace lwt::c {

struct SharedLock::Candidate : Waiter {
  std::uintptr_t mark = ThreadMark();
  bool is_writer = false;
};

bool SharedLock::MayEnter(bool as_writer) const {
  if (writer_ != 0) return false;
  if (as_writer) return readers_ == 0;
  return kind_ != kPreferWriterNonrecursive || waiting_writers_ == 0;
}

void SharedLock::Enter(bool as_writer, std::uintptr_t mark) {
  if (as_writer) {
    writer_ = mark;
  } else {
    ++readers_;
  }
}

// They hold it from here on.
WaitList<Waiter> SharedLock::TakeThoseWhoMayEnter() {
  WaitList<Waiter> entering;
  if (writer_ != 0) return entering;
  auto* const oldest = static_cast<Candidate*>(waiting_.oldest());
  if (oldest == nullptr) return entering;
  if (oldest->is_writer) {
    if (readers_ > 0) return entering;
    waiting_.TakeOldest();
    --waiting_writers_;
    writer_ = oldest->mark;
    entering.Add(*oldest);
    return entering.TakeAll();  // A deadline finds none of them in a list.
  }
  for (Waiter* waiter = waiting_.oldest(); waiter != nullptr;) {
    Waiter* const newer = waiter->newer;
    if (!static_cast<Candidate*>(waiter)->is_writer) {
      waiting_.Remove(*waiter);
      ++readers_;
      entering.Add(*waiter);
    }
    waiter = newer;
  }
  return entering.TakeAll();
}

int SharedLock::Lock(bool as_writer, std::optional<Deadline> deadline) {
  Candidate self;
  self.is_writer = as_writer;
  list_lock_.Lock();
  const bool enters = MayEnter(as_writer);
  const bool is_held_by_self = writer_ == self.mark;
  if (enters) {
    Enter(as_writer, self.mark);
  } else if (!is_held_by_self) {
    waiting_.Add(self);
    if (as_writer) ++waiting_writers_;
  }
  list_lock_.Unlock();
  if (enters) return 0;
  if (is_held_by_self) return EDEADLK;
  if (!deadline) {
    self.Wait("a reader-writer lock");
    return 0;
  }
  const bool gave_up = WakeOrDeadline(self, *deadline, "a reader-writer lock", [&] {
    list_lock_.Lock();
    const bool removed = waiting_.Remove(self);
    if (removed && as_writer) --waiting_writers_;
    list_lock_.Unlock();
    return removed;
  });
  if (!gave_up) return 0;
  // Readers may have waited for this writer alone.
  list_lock_.Lock();
  WaitList<Waiter> entering = TakeThoseWhoMayEnter();
  list_lock_.Unlock();
  entering.WakeAll();
  return ETIMEDOUT;
}

int SharedLock::TryLockShared() {
  list_lock_.Lock();
  const bool enters = MayEnter(false);
  if (enters) Enter(false, 0);
  list_lock_.Unlock();
  return enters ? 0 : EBUSY;
}

int SharedLock::TryLockExclusive() {
  list_lock_.Lock();
  const bool enters = MayEnter(true);
  if (enters) Enter(true, ThreadMark());
  list_lock_.Unlock();
  return enters ? 0 : EBUSY;
}

int SharedLock::Unlock() {
  list_lock_.Lock();
  const bool is_writers = writer_ != 0;
  if (is_writers ? writer_ != ThreadMark() : readers_ == 0) {
    list_lock_.Unlock();
    return EPERM;
  }
  if (is_writers) {
    writer_ = 0;
  } else {
    --readers_;
  }
  WaitList<Waiter> entering = TakeThoseWhoMayEnter();
  list_lock_.Unlock();
  entering.WakeAll();
  return 0;
}

bool SharedLock::IsHeld() {
  list_lock_.Lock();
  const bool is_held = writer_ != 0 || readers_ > 0;
  list_lock_.Unlock();
  return is_held;
}

}  // namespace lwt::c
