// The atomics that lwt's protocols are written over.
//
// A protocol (deque.h, inbox.h, completion.h, ...) is a template over its atomics and
// its fence: the pool gives it these, the model tests give it ones whose every
// step is a point where another thread may run (tools/model), so that the code
// that is proved is the code that runs.
#pragma once

#include <atomic>
#include <cstdint>

#include "lwt/machine/sanitizer.h"
#include "topo/atomic.h"

namespace lwt {

using topo::Pause;

inline constexpr std::uint32_t kHighestBit = std::uint32_t{1} << 31;

// topo's atomic, on which an OS thread can sleep, too.
template <typename T>
class Atomic : public topo::Atomic<T> {
 public:
  using topo::Atomic<T>::Atomic;

  // Sets the highest bit; was it clear? Acquires. This and AddToHighestBitAndOne use x86's own
  // instructions, as no compiler of ours finds both; TSan must see the operations.
  bool SetHighestBit() requires(sizeof(T) == 4) {
#if defined(__x86_64__) && !defined(LWT_TSAN)
    bool was_set;
    asm volatile("lock btsl $31, %0" : "+m"(this->value_), "=@ccc"(was_set) : : "memory");
    return !was_set;
#else
    return (this->value_.fetch_or(kHighestBit, std::memory_order_acquire) & kHighestBit) == 0;
#endif
  }

  // Adds the highest bit and one; is the highest bit clear then? Releases.
  bool AddToHighestBitAndOne() requires(sizeof(T) == 4) {
#if defined(__x86_64__) && !defined(LWT_TSAN)
    bool is_set;
    asm volatile("lock addl $0x80000001, %0" : "+m"(this->value_), "=@ccs"(is_set) : : "memory");
    return !is_set;
#else
    const T sum =
        this->value_.fetch_add(kHighestBit + 1, std::memory_order_acq_rel) + (kHighestBit + 1);
    return (sum & kHighestBit) == 0;
#endif
  }

  // Stores the calling thread's stack pointer, about: an address on its stack. Relaxed.
  void StoreStackPointer() requires(sizeof(T) == 8) {
#if defined(__x86_64__) && !defined(LWT_TSAN)
    asm volatile("movq %%rsp, %0" : "=m"(this->value_));
#else
    this->value_.store(reinterpret_cast<T>(__builtin_frame_address(0)), std::memory_order_relaxed);
#endif
  }

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

// SetHighestBit and AddToHighestBitAndOne of any 32-bit word, as models have.
template <typename Word>
bool SetHighestBit(Word& word) {
  if constexpr (requires { word.SetHighestBit(); }) {
    return word.SetHighestBit();
  } else {
    auto before = word.Load(std::memory_order_relaxed);
    while ((before & kHighestBit) == 0) {
      if (word.CompareExchange(before, before | kHighestBit, std::memory_order_acquire))
        return true;
    }
    return false;
  }
}
template <typename Word>
bool AddToHighestBitAndOne(Word& word) {
  if constexpr (requires { word.AddToHighestBitAndOne(); }) {
    return word.AddToHighestBitAndOne();
  } else {
    const std::uint32_t before = word.FetchAdd(kHighestBit + 1, std::memory_order_acq_rel);
    return ((before + kHighestBit + 1) & kHighestBit) == 0;
  }
}

// A value that one thread at a time writes, and that any thread may read.
template <typename T>
class Relaxed {
 public:
  // Its first value, too, may be read meanwhile, as that of memory which was handed out just now.
  Relaxed(T value) { *this = value; }  // NOLINT(google-explicit-constructor): it is a T.
  Relaxed(const Relaxed& other) : Relaxed(static_cast<T>(other)) {}
  Relaxed& operator=(const Relaxed& other) { return *this = static_cast<T>(other); }
  Relaxed& operator=(T value) {
    std::atomic_ref<T>(value_).store(value, std::memory_order_relaxed);
    return *this;
  }
  operator T() const {  // NOLINT(google-explicit-constructor): it is a T.
    return std::atomic_ref<T>(const_cast<T&>(value_)).load(std::memory_order_relaxed);
  }
  // For the thread that writes it: the compiler may read it once for several uses.
  T Own() const { return value_; }

 private:
  alignas(std::atomic_ref<T>::required_alignment) T value_;
};

}  // namespace lwt
