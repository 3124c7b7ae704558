// The first error of a runtime's tasks, until a Wait takes it.
//
// Threads: any. The lock is held for no call of the user's, and no other lock is taken under it.
// Order: what came before Report happens before what follows a has_failed that is true (failed_:
//   release, acquire).
#pragma once

#include <atomic>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "topo/mutex.h"

namespace taskrt {

// A resource.
class FirstError {
 public:
  // Tasks that have not begun are left out then.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }

  // Kept if it is the first since Take.
  void Report(absl::Status error) {
    const topo::Lock lock(mutex_);
    failed_.store(true, std::memory_order_release);
    if (status_.ok()) status_ = std::move(error);
  }
  // OK: none.
  absl::Status status() const {
    const topo::Lock lock(mutex_);
    return status_;
  }
  // From here on there is none.
  absl::Status Take() {
    const topo::Lock lock(mutex_);
    failed_.store(false, std::memory_order_release);
    return std::exchange(status_, absl::OkStatus());
  }

 private:
  std::atomic<bool> failed_{false};
  mutable topo::Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
