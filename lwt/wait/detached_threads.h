// How many threads of a pool were detached and have not ended, and the pool's destructor, which
// waits for them.
//
// Threads: any; WaitBy and none_left by the destructor.
#pragma once

#include <utility>

#include "absl/base/thread_annotations.h"
#include "lwt/contract.h"
#include "lwt/threads/descriptor.h"
#include "topo/mutex.h"

namespace lwt {

// A resource of a pool.
class DetachedThreads {
 public:
  void Add() {
    const topo::Lock lock(mutex_);
    ++count_;
    is_none_left_ = false;
  }
  // `thread`, which was detached, has ended or was dropped. Ends the program with what it threw.
  void Forget(Descriptor& thread) {
    if (thread.error != nullptr) {
      DieOfDetachedException(thread.error, thread.shown_name(), thread.depth);
    }
    if (std::exchange(thread.pool_waits, false)) Remove();
  }

  // False: none is left. Else the last of them to end wakes `destroyer`.
  template <typename Waiter>
  [[nodiscard]] bool WaitBy(Waiter& destroyer) {
    const topo::Lock lock(mutex_);
    if (count_ == 0) return false;
    destroyer_ = &destroyer;
    wake_ = [](void* waiter) { static_cast<Waiter*>(waiter)->Wake(); };
    return true;
  }

  // For the simulator, whose workers are all on the OS thread that looks at it.
  const bool& is_none_left() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return is_none_left_; }

 private:
  void Remove() {
    const topo::Lock lock(mutex_);
    --count_;
    is_none_left_ = count_ == 0;
    // With the mutex held: the destructor joins the pool's workers before it destroys this.
    if (is_none_left_ && destroyer_ != nullptr) wake_(std::exchange(destroyer_, nullptr));
  }

  topo::Mutex mutex_;
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_none_left_ ABSL_GUARDED_BY(mutex_) = true;
  void* destroyer_ ABSL_GUARDED_BY(mutex_) = nullptr;  // its waiter
  void (*wake_)(void*) ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace lwt
