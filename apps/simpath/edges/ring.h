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

namespace simpath {

// A resource.
template <typename Slot>
class Ring {
 public:
  // `slots` is a power of two.
  explicit Ring(std::size_t slots) : slots_(slots), mask_(slots - 1) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // The slot to fill next; null where all are filled.
  Slot* Free() {
    const std::uint64_t filled = filled_.load(std::memory_order_relaxed);
    if (filled - released_seen_ > mask_) {
      released_seen_ = released_.load(std::memory_order_acquire);
      if (filled - released_seen_ > mask_) return nullptr;
    }
    return &slots_[filled & mask_];
  }
  void Publish() {
    filled_.store(filled_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // The slot that was filled first; null where none is.
  const Slot* Filled() {
    const std::uint64_t released = released_.load(std::memory_order_relaxed);
    if (released == filled_seen_) {
      filled_seen_ = filled_.load(std::memory_order_acquire);
      if (released == filled_seen_) return nullptr;
    }
    return &slots_[released & mask_];
  }
  void Release() {
    released_.store(released_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::vector<Slot> slots_;
  const std::uint64_t mask_;
  // Each side's on its own cache lines.
  alignas(128) std::atomic<std::uint64_t> filled_{0};
  std::uint64_t released_seen_ = 0;
  alignas(128) std::atomic<std::uint64_t> released_{0};
  std::uint64_t filled_seen_ = 0;
};

}  // namespace simpath
