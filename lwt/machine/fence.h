// A fence whose cost lies with the thread that needs it seldom.
//
// Two threads that each write one word and then read the other's (an owner and a
// thief at the last item of a deque, a spawner and a worker that goes to sleep)
// need a full fence between the write and the read, both of them. The owner does
// it at every spawn, the thief at a steal. Where the kernel offers
// membarrier(), the thief's fence runs on every thread of the process: the
// owner's needs to hold back the compiler only. Measured: 4.5 ns less a spawn,
// about 1 us more a steal.
//
//   owner:  a.store(1); Fence::Light(); read b
//   thief:  b.store(1); Fence::Heavy(); read a      not both read 0
//
// Threads: any. Order: as two seq_cst fences, if one side is Heavy.
#pragma once

namespace lwt {

// How the pair is made. A value.
enum class FenceKind {
  kSymmetric,   // both sides pay for a full fence
  kAsymmetric,  // membarrier: Light is free, Heavy costs about a microsecond
};

class Fence {
 public:
  static void Light() {
    if (asymmetric_) [[likely]] {
      asm volatile("" ::: "memory");
    } else {
      Full();
    }
  }
  static void Heavy();

  // Asymmetric from here on where the kernel has it, for the whole process; each
  // pool asks before its first worker runs. ThreadSanitizer knows no fences, and is
  // given the symmetric one. Threads: any; fences only after it.
  static void Decide();
  static FenceKind Kind() { return asymmetric_ ? FenceKind::kAsymmetric : FenceKind::kSymmetric; }

 private:
  static void Full() {
#if defined(__x86_64__)
    // Half the price of mfence, and unknown to TSan, which refuses that one.
    asm volatile("lock; orl $0, (%%rsp)" ::: "memory", "cc");
#elif defined(__aarch64__)
    asm volatile("dmb ish" ::: "memory");
#else
    __sync_synchronize();
#endif
  }
  static bool asymmetric_;  // written once
};

}  // namespace lwt
