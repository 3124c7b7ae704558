// An atomic that threads wait on for longer than a moment, as at a barrier.
#pragma once

#include "topo/atomic.h"

namespace topo {

// Spins for some tens of microseconds, about what it costs to put a thread to sleep
// and to wake it, then sleeps in the kernel.
template <typename T>
class SpinningAtomic : public Atomic<T> {
 public:
  using Atomic<T>::Atomic;

  // Returns once the value is not `old`; acquires.
  void WaitWhile(T old) const {
    for (int i = 0; i < kSpins; ++i) {
      if (this->value_.load(std::memory_order_acquire) != old) return;
      Pause();
    }
    this->value_.wait(old, std::memory_order_acquire);
  }
  // Sequentially consistent, whatever `order` says: WakeAll looks for threads that sleep, and must
  // not do so before a thread that falls asleep sees the new value. (Additions and exchanges are
  // so on x86-64.)
  void Store(T value, std::memory_order /*order*/) {
    this->value_.store(value, std::memory_order_seq_cst);
  }
  // Wakes the threads that sleep in WaitWhile.
  void WakeAll() { this->value_.notify_all(); }

 private:
  static constexpr int kSpins = 1000;
};

}  // namespace topo
