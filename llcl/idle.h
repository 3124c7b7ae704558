// How a thread that has nothing to do waits for something: it spins, then lets others run,
// then it may sleep in the kernel.
#pragma once

#include <sched.h>

#include <chrono>

#include "topo/atomic.h"

namespace llcl {

// A value.
struct IdlePolicy {
  // By time, not by steps: a step takes from some tens of nanoseconds, where it reads
  // memory, to microseconds, where it asks the system.
  std::chrono::nanoseconds spins{2'000};
  int yields = 200;
};

// One thread's wait. A value.
class Idle {
 public:
  explicit Idle(const IdlePolicy& policy) : policy_(policy) {}

  // Something was done: the wait begins anew.
  void Reset() { steps_ = yields_ = 0; }

  // After a step that did nothing. False: it has waited long enough to sleep.
  bool Wait() {
    const auto now = std::chrono::steady_clock::now();
    if (steps_++ == 0) since_ = now;
    if (now - since_ < policy_.spins) {
      topo::Pause();
      return true;
    }
    if (yields_ == policy_.yields) return false;
    ++yields_;
    sched_yield();
    return true;
  }

 private:
  const IdlePolicy policy_;
  std::chrono::steady_clock::time_point since_;
  int steps_ = 0, yields_ = 0;
};

}  // namespace llcl
