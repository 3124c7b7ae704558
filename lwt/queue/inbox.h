// Threads that were put at the tail of a worker's run queue from anywhere.
//
// Beside the deque, because a deque's tail only goes up. Together they are one
// queue (run_queue.h): the inbox's newest is the tail, its oldest lies behind the
// deque's oldest.
//
// Threads: any, for every member but the rotation, which is the owner's.
// Order: what came before Put happens before what follows the Take of that thread (the lock).
// Progress: blocks for the few instructions of another caller; LooksEmpty and Peek never block.
//   Allocates nothing, so Put cannot fail.
#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "lwt/machine/atomic.h"
#include "lwt/queue/deque.h"
#include "topo/spin_lock.h"

namespace lwt {

// A value inside of whatever waits in an inbox.
struct InboxLink {
  InboxLink* older = nullptr;
  InboxLink* newer = nullptr;
  Entry entry;
};

// A resource.
template <template <typename> class AtomicT>
class BasicInbox {
 public:
  bool LooksEmpty() const { return size_.Load(std::memory_order_acquire) == 0; }
  std::int64_t size() const { return size_.Load(std::memory_order_relaxed); }

  // Puts `link.entry`. The link is the inbox's until it is taken.
  void Put(InboxLink& link) {
    lock_.Lock();
    Append(link);
    Publish(+1);
    lock_.Unlock();
  }

  // As the deque's Take.
  Take TakeNewest(Entry& entry) {
    return TakeNewestIf(entry, [](const Entry&) { return true; });
  }
  template <typename Wanted>
  Take TakeNewestIf(Entry& entry, Wanted wanted) {
    if (LooksEmpty()) return Take::kEmpty;
    if (!lock_.TryLock()) return Take::kLost;
    Take result = Take::kEmpty;
    if (newest_ != nullptr) {
      entry = newest_->entry;
      result = wanted(entry) ? Take::kTaken : Take::kLost;
    }
    if (result == Take::kTaken) {
      newest_ = newest_->older;
      (newest_ != nullptr ? newest_->newer : oldest_) = nullptr;
      Publish(-1);
    }
    lock_.Unlock();
    return result;
  }

  // For the owner: the head of its run queue once the deque is empty. False if empty.
  bool TakeOldest(Entry& entry) {
    if (LooksEmpty()) return false;
    lock_.Lock();
    const bool found = oldest_ != nullptr;
    if (found) {
      entry = oldest_->entry;
      oldest_ = oldest_->newer;
      (oldest_ != nullptr ? oldest_->older : newest_) = nullptr;
      Publish(-1);
    }
    lock_.Unlock();
    return found;
  }

  // Takes the oldest and puts `link` as the newest, for an owner whose thread lets
  // others run first; false if there is none. The caller then leaves the thread
  // and calls FinishRotation, on another stack: until then the lock is held, so no thief takes it.
  bool StartRotation(InboxLink& link, Entry& oldest) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (LooksEmpty()) return false;
    lock_.Lock();
    if (oldest_ == nullptr) {
      lock_.Unlock();
      return false;
    }
    oldest = oldest_->entry;
    Append(link);
    oldest_ = oldest_->newer;
    oldest_->older = nullptr;
    Publish(0);
    return true;
  }
  void FinishRotation() ABSL_NO_THREAD_SAFETY_ANALYSIS { lock_.Unlock(); }

  // The item and hint of the newest, each whole but perhaps not of the same one.
  bool Peek(Entry& entry) const {
    if (LooksEmpty()) return false;
    entry = {item_.Load(std::memory_order_relaxed), hint_.Load(std::memory_order_relaxed)};
    return true;
  }

 private:
  void Append(InboxLink& link) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_) {
    link.older = newest_;
    link.newer = nullptr;
    (newest_ != nullptr ? newest_->newer : oldest_) = &link;
    newest_ = &link;
  }
  void Publish(int change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_) {
    if (newest_ != nullptr) {
      item_.Store(newest_->entry.item, std::memory_order_relaxed);
      hint_.Store(newest_->entry.hint, std::memory_order_relaxed);
    }
    size_.Store(size_.Load(std::memory_order_relaxed) + change, std::memory_order_release);
  }

  topo::BasicSpinLock<AtomicT> lock_;
  InboxLink* newest_ ABSL_GUARDED_BY(lock_) = nullptr;
  InboxLink* oldest_ ABSL_GUARDED_BY(lock_) = nullptr;
  // Copies for threads without the lock; written with it.
  AtomicT<std::uintptr_t> item_{0};
  AtomicT<std::uint64_t> hint_{0};
  AtomicT<std::int64_t> size_{0};
};

}  // namespace lwt
