// Which region of another rank each thread of this rank is changing in place. The owner of a region
// that is gone gives the memory to another region only when no mark names the old one: so a write
// that began before its region went, however long its thread was stopped, changes no other region.
//
//   a thread:  TrySet(id) -> table has id? -> change the memory -> Clear
//   the owner: table loses id -> barrier on all processors -> no mark names id -> next region
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
// tests/marks_model_test.cc runs this code under every interleaving.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "llcl/region.h"
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
    [[nodiscard]] bool TrySet(Rank owner, RegionId id) {
      if (word_.Load(std::memory_order_relaxed) != 0) return false;
      word_.Store(WordOf(owner, id), std::memory_order_relaxed);
      // For the compiler: the barrier of the owner is one for the processor.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      return true;
    }
    // As TrySet, with the barrier here: where the operation takes so long that it does not matter.
    [[nodiscard]] bool TrySetWithBarrier(Rank owner, RegionId id) {
      if (word_.Load(std::memory_order_relaxed) != 0) return false;
      word_.Exchange(WordOf(owner, id), std::memory_order_seq_cst);
      return true;
    }
    void Clear() { word_.Store(0, std::memory_order_release); }

   private:
    friend class BasicMarks;
    AtomicT<std::uint64_t> word_;
  };

  static constexpr int kSlotBits = 12;  // of RegionTable's slots; ranks have the 20 bits above

  // By number: 0 for the thread that holds the executor's lock, the rest as LivingThreadNumber().
  static constexpr int kMarks = 256;

  Mark& of(int number) { return marks_[static_cast<std::size_t>(number)]; }

  // Calls f(region) for each mark that is set on a region of the owner's.
  template <typename F>
  void ForEach(Rank owner, F f) const {
    for (const Mark& mark : marks_) {
      const std::uint64_t word = mark.word_.Load(std::memory_order_acquire);
      if (word == 0) continue;
      auto id = std::bit_cast<RegionId>(word);
      if (id.slot >> kSlotBits != static_cast<std::uint32_t>(ToInt(owner))) continue;
      id.slot &= (1u << kSlotBits) - 1;
      f(id);
    }
  }

 private:
  // Generations begin with 1, so no word is zero. The slot is in the lower half.
  static std::uint64_t WordOf(Rank owner, RegionId id) {
    static_assert(std::bit_cast<std::uint64_t>(RegionId{.slot = 1}) == 1);
    return std::bit_cast<std::uint64_t>(id) | static_cast<std::uint64_t>(ToInt(owner)) << kSlotBits;
  }

  std::array<Mark, kMarks> marks_;
};

using Marks = BasicMarks<topo::Atomic>;

}  // namespace llcl
