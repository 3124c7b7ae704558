// A queue of one producer and one consumer, of so many slots.
//
// Threads: Free and Publish by the producer, Filled and Release by the consumer.
// Order: what the producer wrote in a slot before Publish is seen by the consumer, and the slot is
// written again only after Release.
// Progress: wait-free; a full or an empty ring is an answer, not a wait.
//
// Source: L. Lamport, Proving the correctness of multiprocess programs, IEEE TSE 3(2), 1977; each
// side remembers what it last saw of the other (J. Giacomoni, T. Moseley and M. Vachharajani,
// FastForward, PPoPP 2008).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "topo/topo.h"

namespace simpath {

// A resource. tests/ring_model_test.cc runs it under every interleaving.
template <template <typename> class Atomic, typename Slot>
class BasicRing {
 public:
  // `slots` is a power of two.
  explicit BasicRing(std::size_t slots) : slots_(slots), mask_(slots - 1) {}
  BasicRing(const BasicRing&) = delete;
  BasicRing& operator=(const BasicRing&) = delete;

  // The slot to fill next; null where all are filled.
  Slot* Free() {
    if (filled_here_ - released_seen_ > mask_) {
      released_seen_ = released_.Load(std::memory_order_acquire);
      if (filled_here_ - released_seen_ > mask_) return nullptr;
    }
    return &slots_[filled_here_ & mask_];
  }
  void Publish() { filled_.Store(++filled_here_, std::memory_order_release); }

  // The slot that was filled first; null where none is.
  Slot* Filled() {
    if (released_here_ == filled_seen_) {
      filled_seen_ = filled_.Load(std::memory_order_acquire);
      if (released_here_ == filled_seen_) return nullptr;
    }
    return &slots_[released_here_ & mask_];
  }
  void Release() { released_.Store(++released_here_, std::memory_order_release); }

 private:
  std::vector<Slot> slots_;
  const std::uint64_t mask_;
  // Each side's on its own cache lines: what it has done, and what it last saw of the other.
  alignas(128) Atomic<std::uint64_t> filled_{0};
  std::uint64_t filled_here_ = 0, released_seen_ = 0;
  alignas(128) Atomic<std::uint64_t> released_{0};
  std::uint64_t released_here_ = 0, filled_seen_ = 0;
};

template <typename Slot>
using Ring = BasicRing<topo::Atomic, Slot>;

}  // namespace simpath
