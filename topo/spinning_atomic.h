// The atomic variable that topo's synchronization is written over.
//
// Algorithms take it as a template parameter; tests give them one whose every
// step is a point where another thread may run (tools/model), so that the code
// that is proved is the code that runs.
#pragma once

#include <atomic>

namespace topo {

// An atomic that a thread can wait on: spins for some tens of microseconds, about
// what it costs to put a thread to sleep and to wake it, then sleeps in the
// kernel.
template <typename T>
class SpinningAtomic {
 public:
  explicit SpinningAtomic(T value) : value_(value) {}

  T Load(std::memory_order order) const { return value_.load(order); }
  void Store(T value, std::memory_order order) { value_.store(value, order); }
  T FetchAdd(T amount, std::memory_order order) { return value_.fetch_add(amount, order); }

  // Returns once the value is not `old`; acquires.
  void WaitWhile(T old) const {
    for (int i = 0; i < kSpins; ++i) {
      if (value_.load(std::memory_order_acquire) != old) return;
      Pause();
    }
    value_.wait(old, std::memory_order_acquire);
  }
  // Wakes who sleeps in WaitWhile.
  void WakeAll() { value_.notify_all(); }

 private:
  static constexpr int kSpins = 1000;
  static void Pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
  }
  std::atomic<T> value_;
};

}  // namespace topo
