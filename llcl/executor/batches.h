// Counts batches of messages between their receipt and the end of their handling.
//
// Each step of an executor receives a batch of messages under the executor's lock, and handles the
// batch after the release of the lock. So several threads handle batches in any order. Two counters
// take turns: Mark changes the turn, and zero in the older counter says: all batches from before
// the mark are handled. Later batches do not delay this answer.
//
// Threads: Begin and Mark with the executor's lock held; End by any thread; IsHandled by the
// marking
//   thread, or by a thread behind it in the caller's order.
// Order: the handling of a batch happens before the code behind IsHandled() == true.
// Progress: wait-free.
//
// tests/batches_model_test.cc runs this code under interleavings with at most four preemptions.
#pragma once

#include <atomic>

#include "llcl/language.h"

namespace llcl {

// A resource.
template <template <typename> class AtomicT>
class BasicBatches {
 public:
  // Returns the batch's turn, for End.
  [[nodiscard]] int Begin() {
    under_way_[turn_].FetchAdd(1, std::memory_order_relaxed);
    return turn_;
  }
  void End(int turn) { under_way_[turn].FetchAdd(-1, std::memory_order_release); }

  // Precondition: IsHandled().
  void Mark() { turn_ ^= 1; }
  // Are all batches handled that began before the last Mark?
  bool IsHandled() const { return under_way_[turn_ ^ 1].Load(std::memory_order_acquire) == 0; }

 private:
  AtomicT<int> under_way_[2];
  int turn_ = 0;
};

}  // namespace llcl
