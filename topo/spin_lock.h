// A spin lock for sections of some nanoseconds.
//
// Threads: any; a signal handler too, where no thread is interrupted by it while it holds the lock.
// Order: what came before Unlock happens before what follows the next Lock, or TryLock that was
//   true (held_: release, acquire).
//
// A template over its atomics, so that model tests run this very code (tools/model).
#pragma once

#include <atomic>

#include "absl/base/thread_annotations.h"
#include "topo/atomic.h"

namespace topo {

// A value. Not held at first.
template <template <typename> class AtomicT>
class ABSL_LOCKABLE BasicSpinLock {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    while (held_.Exchange(1, std::memory_order_acquire) != 0) held_.WaitWhile(1);
  }
  [[nodiscard]] bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) {
    // Looking first leaves the cache line with the thread that holds the lock.
    return held_.Load(std::memory_order_relaxed) == 0 &&
           held_.Exchange(1, std::memory_order_acquire) == 0;
  }
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    held_.Store(0, std::memory_order_release);
    held_.WakeAll();
  }

 private:
  AtomicT<int> held_{0};
};

using SpinLock = BasicSpinLock<Atomic>;

}  // namespace topo
