// The two calls on which everything that blocks is built: suspend the running
// thread, make a suspended thread ready.
//
//   lwt::Suspend("my event", [&](lwt::Suspended thread) { waiters.Add(thread); });
//
// Threads: Suspend from a lightweight thread; Resume from anywhere, once for each
// Suspend. Order: what came before Resume happens before what follows Suspend.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "lwt/contract.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {

// A value: a suspended thread. It must be resumed.
class Suspended {
 public:
  Suspended() = default;
  explicit Suspended(Descriptor& thread) : thread_(&thread) {}
  // Once. The pool's destructor waits for threads that are in this call.
  void Resume() const {
    CheckContract(thread_ != nullptr,
                  "Suspended::Resume resumes a thread: this Suspended is empty");
    CheckContract(thread_->waits_for != nullptr,
                  "a suspended thread is resumed once: this thread was resumed before");
    ReadyThreads::MakeReady(*thread_);
  }
  Descriptor& descriptor() const { return *thread_; }
  explicit operator bool() const { return thread_ != nullptr; }

 private:
  Descriptor* thread_ = nullptr;
};

// For what `then` of Suspend throws: it runs on the stack of another thread, which is not to blame.
[[noreturn]] inline void DieOfSuspendersException(const char* waits_for) {
  DieOfException(
      std::current_exception(),
      std::string("the function given to Suspend by a thread that waits for ") + waits_for,
      "A function given to Suspend must not throw: it runs on the stack of another thread.");
}

// Suspends the running thread, then calls `then(Suspended)`: from there on it may
// be resumed, by `then` itself or by any thread that gets the Suspended. `then` runs on another
// stack of this worker and must neither block nor throw. `why` is what the thread waits for, in
// reports (a literal; null: something).
template <typename Then>
void Suspend(const char* why, Then then, WokenBy by = WokenBy::kAnyone) {
  struct ThenHandoff : Handoff {
    explicit ThenHandoff(Then given) : then(std::move(given)) {}
    Then then;
  } handoff(std::move(then));
  handoff.run = [](Handoff& base) {
    // Once it is resumed, the thread's stack, with the handoff on it, may go.
    auto call = std::move(static_cast<ThenHandoff&>(base).then);
    const char* const waits_for = base.thread->waits_for;
    try {
      call(Suspended(*base.thread));
    } catch (...) {
      DieOfSuspendersException(waits_for);
    }
  };
  // Null marks a thread that does not wait.
  if (why == nullptr) why = "something without a name";
  if (by == WokenBy::kThreads) {
    Switcher::Suspend(handoff, why);
  } else {
    Switcher::SuspendCounted(handoff, why, by);
  }
}

}  // namespace lwt
