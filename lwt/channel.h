// A bounded queue between threads.
//
//   lwt::Channel<Block> blocks(8);
//   lwt::Thread reader = lwt::Spawn([&] {
//     while (std::optional<Block> block = blocks.Receive()) Use(*block);
//   });
//   for (Block& block : input) {
//     if (blocks.Send(std::move(block)) != lwt::Sent::kSent) break;
//   }
//   blocks.Close();
//
// Threads: any number of senders and receivers, inside and outside of pools.
//   Close any number of times.
// Order: items leave in the order in which they came. What came before a Send
//   happens before what follows the Receive of that item (the mutex).
// Progress: blocking. The thread that has waited longest is woken first; a thread that
//   comes just then may be quicker.
// Errors: what T's move throws leaves Send or Receive; the channel is as it was.
//   The constructor throws std::bad_alloc; nothing else allocates.
//
// tests/channel_model_test.cc runs this code under every interleaving of up to 4 preemptions
// (larger programs of fewer, down to 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "lwt/condition_variable.h"
#include "lwt/contract.h"
#include "lwt/mutex.h"
#include "lwt/timer.h"
#include "topo/mutex.h"

namespace lwt {

enum class [[nodiscard]] Sent{kSent, kFull, kClosed};

// A resource.
template <typename T, typename Mutex, typename ConditionVariable>
class BasicChannel {
 public:
  // `capacity`: at least 1.
  explicit BasicChannel(std::size_t capacity) : capacity_(capacity) {
    CheckContract(capacity >= 1, "a channel has room for one item or more");
    // Compilers differ in what they do with more bytes than there are addresses.
    if (capacity > PTRDIFF_MAX / sizeof(std::optional<T>)) throw std::bad_array_new_length();
    slots_ = std::make_unique<std::optional<T>[]>(capacity);
  }
  BasicChannel(const BasicChannel&) = delete;
  BasicChannel& operator=(const BasicChannel&) = delete;

  // Waits for room. kSent or kClosed; `item` is moved from only if kSent.
  Sent Send(T&& item) {
    const topo::Lock lock(mutex_);
    while (!closed_ && size_ == capacity_) not_full_.Wait(mutex_, "room in a channel");
    return Add(std::move(item));
  }
  Sent Send(const T& item) { return Send(T(item)); }

  // As Send, but waits no longer than until stop is requested: kFull, and `item` is as it was,
  // where there is no room then.
  Sent Send(T&& item, std::stop_token stop) {
    const topo::Lock lock(mutex_);
    if (!not_full_.Wait(
            mutex_, std::move(stop),
            [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return closed_ || size_ < capacity_; },
            "room in a channel")) {
      return Sent::kFull;
    }
    return Add(std::move(item));
  }
  Sent Send(const T& item, std::stop_token stop) { return Send(T(item), std::move(stop)); }

  // As Send without waiting: kFull where there is no room.
  Sent TrySend(T&& item) {
    const topo::Lock lock(mutex_);
    if (!closed_ && size_ == capacity_) return Sent::kFull;
    return Add(std::move(item));
  }
  Sent TrySend(const T& item) { return TrySend(T(item)); }

  // Waits for an item; nullopt once the channel is closed and empty.
  std::optional<T> Receive() {
    const topo::Lock lock(mutex_);
    while (!closed_ && size_ == 0) not_empty_.Wait(mutex_, "an item of a channel");
    return Take();
  }

  // As Receive, but waits no longer than until stop is requested: nullopt where there is no item
  // then. Items that are there come first: ask the token whether to go on.
  std::optional<T> Receive(std::stop_token stop) {
    const topo::Lock lock(mutex_);
    // Once stop is requested it says what Take finds.
    (void)not_empty_.Wait(
        mutex_, std::move(stop),
        [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return closed_ || size_ > 0; },
        "an item of a channel");
    return Take();
  }

  // As Receive, but waits no longer than until the deadline: nullopt where there is no item then.
  std::optional<T> ReceiveUntil(Deadline deadline) {
    const topo::Lock lock(mutex_);
    while (!closed_ && size_ == 0) {
      if (not_empty_.WaitUntil(mutex_, deadline) == Waited::kTimedOut) break;
    }
    return Take();
  }

  // nullopt where there is no item. If IsClosed() was true before, none will come.
  std::optional<T> TryReceive() {
    const topo::Lock lock(mutex_);
    return Take();
  }

  // Nothing can be sent from here on; what is in it can be received.
  void Close() {
    const topo::Lock lock(mutex_);
    closed_ = true;
    not_full_.NotifyAll();
    not_empty_.NotifyAll();
  }

  bool IsClosed() const {
    const topo::Lock lock(mutex_);
    return closed_;
  }
  // A moment later it may be another number.
  std::size_t size() const {
    const topo::Lock lock(mutex_);
    return size_;
  }
  std::size_t capacity() const { return capacity_; }

 private:
  Sent Add(T&& item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (closed_) return Sent::kClosed;
    try {
      slots_[(first_ + size_) % capacity_].emplace(std::move(item));
    } catch (...) {
      not_full_.NotifyOne();  // The notice that brought the caller here is not spent.
      throw;
    }
    ++size_;
    not_empty_.NotifyOne();
    return Sent::kSent;
  }
  std::optional<T> Take() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (size_ == 0) return std::nullopt;
    std::optional<T>& slot = slots_[first_];
    try {
      std::optional<T> taken(std::move(slot));
      slot.reset();
      first_ = (first_ + 1) % capacity_;
      --size_;
      not_full_.NotifyOne();
      return taken;
    } catch (...) {
      not_empty_.NotifyOne();
      throw;
    }
  }

  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::unique_ptr<std::optional<T>[]> slots_ ABSL_GUARDED_BY(mutex_);  // a ring
  std::size_t first_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t size_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  ConditionVariable not_full_;   // for one sender
  ConditionVariable not_empty_;  // for one receiver
};

template <typename T>
using Channel = BasicChannel<T, Mutex, ConditionVariable>;

}  // namespace lwt
