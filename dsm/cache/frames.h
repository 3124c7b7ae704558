// Which copies have frames, the memory of a page, where that is bounded, and which of them gives
// its frame back: the copy that took it first (a fault leaves no trace of later uses, so which was
// used last is not known).
//
// Threads: one at a time. In signal handlers too: nothing is allocated after construction.
#pragma once

#include <cstdint>

#include "dsm/engine/reserved.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A resource: a queue of pages, as long as the bound.
class Frames {
 public:
  // `most`: so many pages at once; zero: any number, and nothing is remembered.
  static absl::StatusOr<Frames> Make(PageCount most);
  Frames() = default;

  bool has_room(PageCount pages) const { return !is_bounded() || used_ + pages <= most_; }
  PageCount used() const { return used_; }

  // Precondition: there is room, and the page has no frame yet.
  void Add(PageNumber page) {
    used_ += PageCount(1);
    PutBack(page);
  }
  // The oldest of those that are not taken. Precondition: waiting() > 0.
  PageNumber Take() {
    --waiting_;
    const PageNumber page = queue_.as<PageNumber>()[first_];
    first_ = first_ + 1 == most_.value() ? 0 : first_ + 1;
    return page;
  }
  std::uint64_t waiting() const { return waiting_; }
  // A page that Take returned keeps its frame, as the youngest; or has given it back.
  void PutBack(PageNumber page) {
    const std::uint64_t at = first_ + waiting_++;
    queue_.as<PageNumber>()[at < most_.value() ? at : at - most_.value()] = page;
  }
  void Free() { used_ -= PageCount(1); }
  // The pages of the queue for which leaves(page) is true have given their frames back.
  template <typename Leaves>
  void FreeIf(Leaves leaves) {
    for (std::uint64_t left = waiting_; left > 0; --left) {
      const PageNumber page = Take();
      if (leaves(page)) {
        Free();
      } else {
        PutBack(page);
      }
    }
  }

 private:
  bool is_bounded() const { return most_ > PageCount(0); }

  Reserved queue_;
  PageCount most_;
  PageCount used_;                         // pages with frames
  std::uint64_t first_ = 0, waiting_ = 0;  // those of them in the queue
};

inline absl::StatusOr<Frames> Frames::Make(PageCount most) {
  Frames frames;
  frames.most_ = most;
  if (most == PageCount(0)) return frames;
  auto queue = Reserved::Zeros(most.value() * sizeof(PageNumber));
  if (!queue.ok()) return queue.status();
  frames.queue_ = *std::move(queue);
  return frames;
}

}  // namespace dsm
