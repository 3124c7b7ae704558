// The waiters for one thing, in the order in which they came.
//
// Threads: one at a time; the list's owner has a lock around it.
#pragma once

#include <utility>

namespace lwt {

// A value. The waiters (waiter.h) lie on the stacks of the waiting threads.
template <typename Waiter>
class WaitList {
 public:
  WaitList() = default;
  WaitList(WaitList&& other) noexcept
      : oldest_(std::exchange(other.oldest_, nullptr)),
        newest_(std::exchange(other.newest_, nullptr)) {}
  WaitList& operator=(WaitList&&) = delete;

  // The first to go through all, by `newer`.
  Waiter* oldest() const { return oldest_; }
  bool empty() const { return oldest_ == nullptr; }

  void Add(Waiter& waiter) {
    waiter.queued = true;
    waiter.older = newest_;
    waiter.newer = nullptr;
    (newest_ != nullptr ? newest_->newer : oldest_) = &waiter;
    newest_ = &waiter;
  }

  // In front of all others.
  void AddAsOldest(Waiter& waiter) {
    waiter.queued = true;
    waiter.older = nullptr;
    waiter.newer = oldest_;
    (oldest_ != nullptr ? oldest_->older : newest_) = &waiter;
    oldest_ = &waiter;
  }

  // Null if empty.
  Waiter* TakeOldest() {
    Waiter* const waiter = oldest_;
    if (waiter != nullptr) Remove(*waiter);
    return waiter;
  }

  // False if it is in no list any more.
  bool Remove(Waiter& waiter) {
    if (!waiter.queued) return false;
    waiter.queued = false;
    (waiter.older != nullptr ? waiter.older->newer : oldest_) = waiter.newer;
    (waiter.newer != nullptr ? waiter.newer->older : newest_) = waiter.older;
    return true;
  }

  // From here on Remove finds none of them.
  WaitList TakeAll() {
    for (Waiter* waiter = oldest_; waiter != nullptr; waiter = waiter->newer) {
      waiter->queued = false;
    }
    return std::move(*this);
  }

  // Of a list that no other thread knows: without a lock.
  void WakeAll() {
    Waiter* waiter = std::exchange(oldest_, nullptr);
    newest_ = nullptr;
    while (waiter != nullptr) std::exchange(waiter, waiter->newer)->Wake();
  }

 private:
  Waiter* oldest_ = nullptr;
  Waiter* newest_ = nullptr;
};

}  // namespace lwt
