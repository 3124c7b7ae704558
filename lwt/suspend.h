// The two calls of which everything that blocks is made: suspend the running
// thread, make a suspended one ready.
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
#include "lwt/schedule/scheduler.h"

namespace lwt {

// A value: a suspended thread. Somebody must Resume it.
class Suspended {
 public:
  Suspended() = default;
  explicit Suspended(Descriptor& thread) : thread_(&thread) {}
  // Once. The pool's destructor waits for who is in here.
  void Resume() const {
    CheckContract(thread_ != nullptr, "Suspended::Resume is for a thread: this one is empty");
    CheckContract(thread_->waits_for != nullptr,
                  "a suspended thread is resumed once: this one has gone on already");
    Scheduler::MakeReady(*thread_);
  }
  Descriptor& descriptor() const { return *thread_; }
  explicit operator bool() const { return thread_ != nullptr; }

 private:
  Descriptor* thread_ = nullptr;
};

// Of what Suspend calls: on another thread's stack, which is not to blame.
[[noreturn]] inline void DieOfSuspendersException(const char* waits_for) {
  DieOfException(
      std::current_exception(),
      std::string("what Suspend was to call for a thread that waits for ") + waits_for,
      "It runs on the stack of another thread, so nobody can take that: it must not throw.");
}

// Suspends the running thread, then calls `then(Suspended)`: from there on it may
// be resumed, by `then` itself or by whoever learns of it. `then` runs on another
// stack of this worker and must neither block nor throw. `why` is what reports say it waits for
// (a literal; null: something).
template <typename Then>
void Suspend(const char* why, Then then, WokenBy by = WokenBy::kAnyone) {
  struct ThenHandoff : Handoff {
    explicit ThenHandoff(Then given) : then(std::move(given)) {}
    Then then;
  } handoff(std::move(then));
  handoff.run = [](Handoff& base) {
    // Once it is resumed, the thread's stack, with the handoff on it, may go.
    auto then = std::move(static_cast<ThenHandoff&>(base).then);
    const char* const waits_for = base.thread->waits_for;
    try {
      then(Suspended(*base.thread));
    } catch (...) {
      DieOfSuspendersException(waits_for);
    }
  };
  // Not null: that is who does not wait.
  if (why == nullptr) why = "something that it gave no name";
  if (by == WokenBy::kThreads) {
    Scheduler::Suspend(handoff, why);
  } else {
    Scheduler::SuspendCounted(handoff, why, by);
  }
}

}  // namespace lwt
