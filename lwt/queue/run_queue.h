// A worker's run queue: the paper's five operations on one order of threads.
//
//   head                                                        tail
//   newest pushed ... oldest pushed | first put ... last put
//   \_______ deque.h ______________/  \______ inbox.h ______/
//
// The owner pushes and pops at the head; any thread puts, takes and peeks at the
// tail. Without puts it is the deque alone.
//
// Threads: Push, Pop, PopIf and Grow only by the owner; the rest by any thread.
// Order, progress: as deque.h and inbox.h. Source: [NNT13] section 3.4.
#pragma once

#include "lwt/queue/deque.h"
#include "lwt/queue/inbox.h"

namespace lwt {

// A resource.
template <template <typename> class AtomicT, typename Fence>
class BasicRunQueue {
 public:
  explicit BasicRunQueue(std::int64_t capacity) : deque_(capacity) {}

  bool HasRoom() const { return deque_.HasRoom(); }
  bool Grow() { return deque_.Grow(); }
  void HideRoom() { deque_.HideRoom(); }
  void Push(const Entry& entry) { deque_.Push(entry); }
  bool PopIf(std::uintptr_t item) { return deque_.PopIf(item); }
  bool TryPopIf(std::uintptr_t item) { return deque_.TryPopIf(item); }
  bool Pop(Entry& entry) { return deque_.Pop(entry) || inbox_.TakeOldest(entry); }

  void Put(InboxLink& link) { inbox_.Put(link); }
  // Takes the oldest that was put and is still there, for the owner.
  bool TakeOldestPut(Entry& entry) { return inbox_.TakeOldest(entry); }

  // Puts `link` and pops the head, if that was put too (else, or if there is none,
  // false and nothing has changed). To be finished once the
  // thread of `link` can be run by others.
  bool StartRotation(InboxLink& link, Entry& next) {
    return deque_.size() <= 0 && inbox_.StartRotation(link, next);
  }
  void FinishRotation() { inbox_.FinishRotation(); }

  template <typename Wanted>
  Take TakeIf(Entry& entry, Wanted wanted) {
    const lwt::Take put = inbox_.TakeNewestIf(entry, wanted);
    if (put != lwt::Take::kEmpty) return put;
    return deque_.TakeOldestIf(entry, wanted);
  }
  lwt::Take Take(Entry& entry) {
    return TakeIf(entry, [](const Entry&) { return true; });
  }

  // Of the entry at the tail, without a lock; see the parts' Peek.
  bool Peek(Entry& entry) const { return inbox_.Peek(entry) || deque_.Peek(entry); }

  // How many a thief may hope for.
  std::int64_t SizeSeenByThief() const { return deque_.SizeSeenByThief() + inbox_.size(); }

 private:
  BasicDeque<AtomicT, Fence> deque_;
  BasicInbox<AtomicT> inbox_;
};

}  // namespace lwt
