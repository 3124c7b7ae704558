// Which copies take memory, where that is bounded, and which is to give it back: the one that
// took it first (a fault leaves no trace of later uses, so nobody knows which was used last).
//
// Threads: one at a time. In signal handlers too: nothing is allocated after construction.
#pragma once

#include <cstdint>

#include "dsm/engine/reserved.h"
#include "dsm/layout/distribution.h"

namespace dsm {

// A resource: a queue of pages, as long as the bound.
class Frames {
 public:
  // `most`: so many pages at once; zero: any number, and nothing is remembered.
  static absl::StatusOr<Frames> Make(std::uint64_t most);
  Frames() = default;

  std::uint64_t most() const { return most_; }
  bool is_bounded() const { return most_ > 0; }
  bool has_room(std::uint64_t pages) const { return !is_bounded() || used_ + pages <= most_; }
  std::uint64_t used() const { return used_; }

  // Precondition: there is room, and the page has no memory yet.
  void Add(std::uint64_t page) {
    ++used_;
    PutBack(page);
  }
  // The oldest of those that are not in somebody's hands. Precondition: waiting() > 0.
  std::uint64_t Take() {
    --waiting_;
    const std::uint64_t page = queue_.as<std::uint64_t>()[first_];
    first_ = first_ + 1 == most_ ? 0 : first_ + 1;
    return page;
  }
  std::uint64_t waiting() const { return waiting_; }
  // What Take returned keeps its memory, as the youngest; or gave it back.
  void PutBack(std::uint64_t page) {
    const std::uint64_t at = first_ + waiting_++;
    queue_.as<std::uint64_t>()[at < most_ ? at : at - most_] = page;
  }
  void Free() { --used_; }

 private:
  Reserved queue_;
  std::uint64_t most_ = 0;
  std::uint64_t used_ = 0;                 // pages with memory, among them
  std::uint64_t first_ = 0, waiting_ = 0;  // those in the queue
};

inline absl::StatusOr<Frames> Frames::Make(std::uint64_t most) {
  Frames frames;
  frames.most_ = most;
  if (most == 0) return frames;
  auto queue = Reserved::Zeros(most * sizeof(std::uint64_t));
  if (!queue.ok()) return queue.status();
  frames.queue_ = *std::move(queue);
  return frames;
}

}  // namespace dsm
