// Which region of another rank each thread of this rank is changing in place. The owner of a region
// that is gone gives the memory to another region only when no mark names the old one: so a write
// that began before its region went, however long its thread was stopped, changes no other region.
//
//   a thread:  TrySet(key) -> table has it? -> change the memory -> Clear
//   the owner: table loses it -> barrier on all processors -> no mark has the key -> next region
//
// A region's key is a random number, so that a mark needs neither the owner nor the slot.
//
// A thread that sees its region in the table has set its mark before, and the owner sees the mark
// after the barrier. The barrier is the owner's alone (smp/memory_barrier.h), so that a thread pays
// for two stores and no fence. A read needs no mark: it looks at the table once more at its end.
//
// A handler of signals may interrupt a change, of memory that the handler has to bring, and make a
// change itself. It finds the mark set, and has another thread make its change.
//
// Threads: a mark by its thread; ForEach by any, of any process. Signals: any handler.
// Order: what came before Clear happens before what follows a ForEach that sees no mark.
// Progress: wait-free.
//
// tests/marks_model_test.cc runs this code under every interleaving of up to 3 preemptions, or 2
// with three threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "topo/atomic.h"

namespace llcl {

// A value in shared memory, which begins as zeros.
template <template <typename> class AtomicT>
class BasicMarks {
 public:
  // A line of the cache for each: its thread writes it with every change.
  class alignas(64) Mark {
   public:
    // False: the mark is set, by the change that this handler has interrupted.
    // Precondition: the key is not zero.
    [[nodiscard]] bool TrySet(std::uint64_t key) {
      if (key_.Load(std::memory_order_relaxed) != 0) return false;
      key_.Store(key, std::memory_order_relaxed);
      // For the compiler: the barrier of the owner is one for the processor.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      return true;
    }
    // As TrySet, with the barrier here: where the operation takes so long that it does not matter.
    [[nodiscard]] bool TrySetWithBarrier(std::uint64_t key) {
      if (key_.Load(std::memory_order_relaxed) != 0) return false;
      key_.Exchange(key, std::memory_order_seq_cst);
      return true;
    }
    void Clear() { key_.Store(0, std::memory_order_release); }

   private:
    friend class BasicMarks;
    AtomicT<std::uint64_t> key_;
  };

  // By number: 0 for the thread that holds the executor's lock, the rest as LivingThreadNumber().
  static constexpr int kMarks = 256;

  Mark& of(int number) { return marks_[static_cast<std::size_t>(number)]; }

  // Calls f(key) for each mark that is set.
  template <typename F>
  void ForEach(F f) const {
    for (const Mark& mark : marks_) {
      const std::uint64_t key = mark.key_.Load(std::memory_order_acquire);
      if (key != 0) f(key);
    }
  }

 private:
  std::array<Mark, kMarks> marks_;
};

using Marks = BasicMarks<topo::Atomic>;

}  // namespace llcl
