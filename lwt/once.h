// A call that is made once, by the first of many threads that want it.
//
//   lwt::Once made;
//   Table table;                                      // beside it
//   made.Call([&] { table = MakeTableInParallel(); });  // before each use
//
// The guard of a function's static variable, std::call_once and std::mutex stop the OS thread of
// whoever waits. Where the thread inside is suspended meanwhile, the workers that wait for it
// run nothing else, and once all of them do, nobody runs the thread inside: the
// program hangs. A static variable whose initializer may join, wait or sleep is therefore made by
// Once, and a mutex that is held meanwhile is lwt::Mutex.
//
// Threads: any, inside and outside of pools. The function may suspend, spawn and join; other
//   threads are suspended until it has returned. A function that calls the same Once waits for
//   itself: the program ends with a sentence, as with a mutex that is locked twice.
// Order: what the function did happens before what follows each return of Call
//   (is_done_: release, acquire).
// Progress: once the call has been made, Call is one load.
//
// tests/once_model_test.cc runs this code under every interleaving of up to 5 preemptions (larger
// programs of fewer, down to 2).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "lwt/machine/atomic.h"
#include "lwt/mutex.h"
#include "lwt/waiter.h"

namespace lwt {

// A value. The call has not been made at first.
template <template <typename> class AtomicT, typename Mutex>
class BasicOnce {
 public:
  BasicOnce() = default;
  BasicOnce(const BasicOnce&) = delete;
  BasicOnce& operator=(const BasicOnce&) = delete;

  // Returns when a call of some thread's function has returned: of `f()`, if no other has. What
  // `f` throws comes out of this Call, and a thread that waits, or the next to come, calls its own.
  template <typename F>
  void Call(F&& f) {
    if (IsDone()) [[likely]]
      return;
    mutex_.Lock();
    if (!IsDone()) {
      try {
        std::invoke(std::forward<F>(f));
      } catch (...) {
        mutex_.Unlock();
        throw;
      }
      is_done_.Store(1, std::memory_order_release);
    }
    mutex_.Unlock();
  }

  // Has a call returned? Then Call returns at once.
  bool IsDone() const { return is_done_.Load(std::memory_order_acquire) != 0; }

 private:
  AtomicT<std::uint32_t> is_done_{0};
  Mutex mutex_;
};

using Once = BasicOnce<Atomic, Mutex>;

}  // namespace lwt
