// The atomics that lwt's protocols are written over.
//
// A protocol (deque.h, inbox.h, join.h, ...) is a template over its atomics and
// its fence: the pool gives it these, the model tests give it ones whose every
// step is a point where another thread may run (tools/model), so that the code
// that is proved is the code that runs.
#pragma once

#include <atomic>
#include <cstdint>

#include "topo/atomic.h"

namespace lwt {

using topo::Pause;

// Beside what topo's does, a thread of the system can sleep on it.
template <typename T>
class Atomic : public topo::Atomic<T> {
 public:
  using topo::Atomic<T>::Atomic;

  // Sleeps in the kernel while the value is `old`, at most `nanoseconds`; may
  // return early. For 32-bit values.
  void SleepWhile(T old, std::int64_t nanoseconds);
  void WakeOneSleeper();
  void WakeAllSleepers();
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
