// Sends messages of changes to homes, and waits until they are acknowledged.
//
// Messages keep no order, so the changes of a rank are on their way for one of its threads at a
// time: it holds mutex() until they are acknowledged, and their pages are not dropped meanwhile.
//
// Threads: any, all members.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "dsm/peers/peers.h"
#include "dsm/threads/lock_order.h"
#include "llcl/messenger.h"

namespace dsm {

// A resource.
class ChangeSender {
 public:
  using Mutex = OrderedMutex<LockLevel::kSending>;

  // `patience`: how long a home may take to acknowledge.
  ChangeSender(const Peers& peers, std::chrono::milliseconds patience);

  Mutex& mutex() ABSL_LOCK_RETURNED(mutex_) { return mutex_; }
  // For code that only runs where a caller holds mutex(), which the analysis cannot see there.
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK(mutex_) {}

  // The number of the epoch that the changes belong to (page_version.h).
  std::uint64_t epoch() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return epoch_; }
  // Begins the next, and returns the one that ends.
  std::uint64_t EndEpoch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return epoch_++; }

  // A message whose handler acknowledges it. Errors: Unavailable.
  absl::Status Send(int rank, llcl::HandlerId handler, std::span<const std::byte> payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when all that this rank has sent is acknowledged. Errors: Unavailable where a home is
  // gone, or does not answer in time; the others have acknowledged all the same.
  absl::Status WaitForAcknowledgments() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The handler of kAcknowledgment.
  void OnAcknowledgment(int from) {
    acknowledged_by_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_release);
  }

  // Of differences, since the beginning.
  void CountSent(std::uint64_t bytes) {
    diff_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    diff_messages_.fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t diff_bytes() const { return diff_bytes_.load(); }
  std::uint64_t diff_messages() const { return diff_messages_.load(); }

 private:
  const Peers peers_;
  const std::chrono::milliseconds patience_;
  Mutex mutex_;
  std::vector<std::uint64_t> sent_to_ ABSL_GUARDED_BY(mutex_);  // messages so far, by rank
  std::uint64_t epoch_ ABSL_GUARDED_BY(mutex_) = 1;
  std::unique_ptr<std::atomic<std::uint64_t>[]> acknowledged_by_;  // of them, by rank
  std::atomic<std::uint64_t> diff_bytes_{0}, diff_messages_{0};
};

}  // namespace dsm
