// Held for a moment, by threads that touch no shared page meanwhile: so by signal handlers too.
#pragma once

#include "topo/atomic.h"

namespace dsm {

// Holds it from its construction to its end.
class SpinLock {
 public:
  explicit SpinLock(topo::Atomic<int>& held) : held_(held) {
    while (held_.Exchange(1, std::memory_order_acquire) != 0) held_.WaitWhile(1);
  }
  ~SpinLock() { held_.Store(0, std::memory_order_release); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

 private:
  topo::Atomic<int>& held_;
};

}  // namespace dsm
