// Have all messages been handled that an executor had received at some moment?
//
// Each step of an executor receives a batch of messages under the executor's lock, and handles the
// batch after the lock's release: so batches of several threads are handled in any order. Batches
// are counted by two counters in turn; Mark changes the turn, and the other counter's zero says
// that the batches from before the mark are handled, however many begin after it.
//
// Threads: Begin and Mark with the executor's lock held; End by any; IsHandled by the thread that
//   marked, or another one that the caller orders behind it.
// Order: what handles a batch happens before what follows IsHandled() == true.
// Progress: wait-free.
//
// tests/batches_model_test.cc runs this code under every interleaving.
#pragma once

#include <atomic>

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
