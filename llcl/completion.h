// Completions: the call that an operation makes when it has ended, and the usual kinds.
//
//   llcl::Flag arrived;
//   if (endpoint.TryRead({.from = there, .to = here, .bytes = 8, .then = arrived.completion()}) ==
//       llcl::Posted::kPosted) {
//     endpoint.Wait(arrived);
//   }
//
// Each operation that was accepted completes exactly once, whatever happens to it, on
// any thread, in any order, and perhaps before the call that posted it returns. So
// a completion's function must not block, nor post operations that it then waits
// for. An operation whose request returned Posted::kDone has completed by that.
//
// Threads: any thread may complete a Flag or Counter, any may wait for it.
// Order: what the operation read or wrote happens before what follows done() ==
//   true (release, acquire).
//
// Source: [ET17] section 3.1.
#pragma once

#include <cstdint>

#include "llcl/outcome.h"
#include "topo/spinning_atomic.h"

namespace llcl {

// A resource, that lives until it was completed. For one operation at a time.
class Flag {
 public:
  Flag() = default;
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

  Completion completion() {
    return {[](void* self, Outcome outcome) { static_cast<Flag*>(self)->Raise(outcome); }, this};
  }

  bool done() const { return state_.Load(std::memory_order_acquire) != 0; }
  // Precondition: done().
  Outcome outcome() const {
    return static_cast<Outcome>(state_.Load(std::memory_order_acquire) - 1);
  }
  // For the next operation.
  void Reset() { state_.Store(0, std::memory_order_relaxed); }

  // Returns once done(); lets other threads run, then sleeps. Makes no progress (endpoint.h's
  // Wait does), so only on an endpoint with a progress thread. In signal handlers, too.
  void SleepUntilDone() const;

 private:
  void Raise(Outcome outcome) {
    state_.Store(1 + static_cast<int>(outcome), std::memory_order_release);
    // From here on the flag may be gone: waking uses its address only.
    state_.WakeAll();
  }
  topo::SpinningAtomic<int> state_{0};  // 0, or one more than the outcome
};

// A resource, that lives until all its operations have completed. For any number of operations.
class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  Completion completion() {
    return {[](void* self, Outcome outcome) { static_cast<Counter*>(self)->Count(outcome); }, this};
  }

  // How many have ended, and how many of them not with kDone.
  std::uint64_t ended() const { return ended_.Load(std::memory_order_acquire); }
  std::uint64_t failed() const { return failed_.Load(std::memory_order_relaxed); }
  // Have `expected` operations ended? Only those that were accepted end.
  bool done(std::uint64_t expected) const { return ended() >= expected; }
  // As Flag's.
  void SleepUntilDone(std::uint64_t expected) const;

 private:
  void Count(Outcome outcome) {
    if (outcome != Outcome::kDone) failed_.FetchAdd(1, std::memory_order_relaxed);
    // Last: a waiter may then destroy the counter.
    ended_.FetchAdd(1, std::memory_order_release);
    ended_.WakeAll();
  }
  topo::Atomic<std::uint64_t> failed_{0};
  topo::SpinningAtomic<std::uint64_t> ended_{0};
};

}  // namespace llcl
