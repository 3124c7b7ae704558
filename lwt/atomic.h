// The atomics that lwt's protocols are written over.
//
// A protocol (deque.h, inbox.h, join.h, ...) is a template over its atomics and
// its fence: the pool gives it these, the model tests give it ones whose every
// step is a point where another thread may run (tools/model), so that the code
// that is proved is the code that runs.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace lwt {

// Tells the processor that this is a spin loop.
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
  // sections of some nanoseconds only. Whoever is in one may have lost its
  // processor, so after some hundred times others are let go first.
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

  // Sleeps in the kernel while the value is `old`, at most `nanoseconds`; may
  // return early. For 32-bit values.
  void SleepWhile(T old, std::int64_t nanoseconds);
  void WakeOneSleeper();
  void WakeAllSleepers();

 private:
  std::atomic<T> value_;
};

template <>
void Atomic<std::uint32_t>::SleepWhile(std::uint32_t old, std::int64_t nanoseconds);
template <>
void Atomic<std::uint32_t>::WakeOneSleeper();
template <>
void Atomic<std::uint32_t>::WakeAllSleepers();

// A value that one thread at a time writes, and that anybody may look at.
template <typename T>
class Relaxed {
 public:
  Relaxed(T value) : value_(value) {}  // NOLINT(google-explicit-constructor): it is a T.
  Relaxed& operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator T() const { return value_.load(std::memory_order_relaxed); }  // NOLINT

 private:
  std::atomic<T> value_;
};

// A spin lock for sections of some nanoseconds.
template <template <typename> class AtomicT>
class BasicSpinLock {
 public:
  bool TryLock() {
    // Looking first leaves the line with who holds the lock.
    return held_.Load(std::memory_order_relaxed) == 0 &&
           held_.Exchange(1, std::memory_order_acquire) == 0;
  }
  void Lock() {
    while (held_.Exchange(1, std::memory_order_acquire) != 0) held_.WaitWhile(1);
  }
  void Unlock() {
    held_.Store(0, std::memory_order_release);
    held_.WakeAll();
  }

 private:
  AtomicT<int> held_{0};
};

}  // namespace lwt
