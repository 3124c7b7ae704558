// The two calls of which everything that blocks is made: suspend the running
// thread, make a suspended one ready.
//
//   lwt::Suspend("my event", [&](lwt::Suspended thread) { waiters.Add(thread); });
//
// Threads: Suspend from a lightweight thread; Resume from anywhere, once for each
// Suspend. Order: what came before Resume happens before what follows Suspend.
#pragma once

#include <utility>

#include "lwt/worker.h"

namespace lwt {

// A value: a suspended thread. Somebody must Resume it.
class Suspended {
 public:
  Suspended() = default;
  explicit Suspended(Descriptor& thread) : thread_(&thread) {}
  // The pool's destructor waits for who is in here.
  void Resume() const { Worker::MakeReady(*thread_); }
  Descriptor& descriptor() const { return *thread_; }
  explicit operator bool() const { return thread_ != nullptr; }

 private:
  Descriptor* thread_ = nullptr;
};

// Suspends the running thread, then calls `then(Suspended)`: from there on it may
// be resumed, by `then` itself or by whoever learns of it. `then` runs on another
// stack of this worker and must not block. `why` is what reports say it waits for
// (a literal).
template <typename Then>
void Suspend(const char* why, Then then, WokenBy by = WokenBy::kAnyone) {
  struct ThenHandoff : Handoff {
    explicit ThenHandoff(Then given) : then(std::move(given)) {}
    Then then;
  } handoff(std::move(then));
  handoff.run = [](Handoff& base) {
    // Once it is resumed, the thread's stack, with the handoff on it, may go.
    auto then = std::move(static_cast<ThenHandoff&>(base).then);
    then(Suspended(*base.thread));
  };
  if (by == WokenBy::kThreads) {
    Worker::Suspend(handoff, why);
  } else {
    Worker::SuspendCounted(handoff, why, by);
  }
}

}  // namespace lwt
