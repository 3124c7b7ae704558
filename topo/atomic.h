// The atomic variable that the synchronization of topo, and of the libraries above
// it, is written over.
//
// A protocol takes its atomics as a template parameter: users get it with these,
// tests with atomics whose every step is a point where another thread may run
// (tools/model), so that the code that is proved is the code that runs.
#pragma once

#include <sched.h>

#include <atomic>

#include "topo/language.h"

namespace topo {

// Hints to the processor that this is a spin loop.
inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// A std::atomic with the names that the model's atomic has.
template <typename T>
class Atomic {
 public:
  explicit Atomic(T value = T()) : value_(value) {}

  T Load(std::memory_order order) const { return value_.load(order); }
  void Store(T value, std::memory_order order) { value_.store(value, order); }
  T FetchAdd(T amount, std::memory_order order) { return value_.fetch_add(amount, order); }
  T Exchange(T value, std::memory_order order) { return value_.exchange(value, order); }
  bool CompareExchange(T& expected, T value, std::memory_order order) {
    return value_.compare_exchange_strong(expected, value, order, std::memory_order_acquire);
  }

  // Returns once the value may have changed from `old`; acquires. Spins: for
  // sections of some nanoseconds only. The thread that is in one may have
  // lost its processor, so after some hundred spins this one yields.
  void WaitWhile(T old) const {
    for (int spins = 0; value_.load(std::memory_order_acquire) == old; ++spins) {
      if (spins < 500) {
        Pause();
      } else {
        sched_yield();
      }
    }
  }
  void WakeAll() {}

 protected:
  std::atomic<T> value_;
};

}  // namespace topo
