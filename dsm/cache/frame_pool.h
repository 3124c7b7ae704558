// The memory of copies, in frames of a page each, where it is bounded. A thread that needs a frame
// waits until the evictor, a separate thread, has freed one; the handler of a fault itself must not
// send, and what was written to a copy must be at home before its frame is freed.
//
// Threads: any; TryReserve and Reserve in signal handlers too; WaitForNeed by one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "dsm/cache/frames.h"
#include "dsm/cache/page_marks.h"
#include "dsm/layout/pages.h"
#include "dsm/threads/waiter.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// A resource; the marks outlive it.
class FramePool {
 public:
  explicit FramePool(PageMarks& marks) : marks_(marks) {}
  // Before any other member. `most`: pages that have frames at once; zero: any number.
  absl::Status Open(PageCount most);

  bool is_bounded() const { return most_ > PageCount(0); }
  PageCount most() const { return most_; }
  PageCount used();
  // Half of the frames at most are for pages that are brought together, are pending, or are pinned:
  // the others are for pages that are touched meanwhile.
  PageCount most_at_once() const {
    return is_bounded() ? PageCount(most_.value() / 2) : PageCount(~std::uint64_t{0});
  }

  // Gives frames to all pages of the range that have none; false: to none, as there are too few.
  [[nodiscard]] bool TryReserve(PageRange pages);
  // Returns when the page has one. Precondition: this thread holds no frame that it could wait for.
  void Reserve(PageNumber page, Waiter waiter);

  // The pages keep their frames until UnpinAll. False: more than half of all frames would be
  // pinned.
  [[nodiscard]] bool TryPin(std::span<const PageRange> pages);
  void UnpinAll();

  // The oldest pages with frames, some of them, that are not pinned and that leave(page) accepts;
  // ascending. Free or their next eviction follows.
  template <typename Leave>
  std::vector<PageNumber> TakeOldest(Leave leave) {
    constexpr std::uint64_t kMost = 256;
    const std::uint64_t wanted = std::clamp<std::uint64_t>(most_.value() / 16, 1, kMost);
    std::vector<PageNumber> taken;
    taken.reserve(wanted);
    {
      const topo::Lock lock(lock_);
      for (std::uint64_t left = frames_.waiting(); left > 0 && taken.size() < wanted; --left) {
        const PageNumber page = frames_.Take();
        if (!marks_.Is(page, kPinned) && leave(page)) {
          taken.push_back(page);
        } else {
          frames_.PutBack(page);
        }
      }
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }
  // Pages of TakeOldest have no frames any more; they are not new in HeldPages either.
  void Free(PageRange pages);
  // The same for pages that are not at hand. Not while the evictor is between TakeOldest and Free.
  void FreeAllOf(PageRange pages);
  // After Free: wakes threads that wait in Reserve.
  void NotifyFreed();

  // For the evictor: returns when a thread waits for a frame; false: Stop was called.
  [[nodiscard]] bool WaitForNeed();
  void Stop();
  bool is_stopping() const { return is_stopping_.load(std::memory_order_acquire); }

 private:
  PageMarks& marks_;
  PageCount most_;
  topo::SpinLock lock_;
  Frames frames_ ABSL_GUARDED_BY(lock_);
  std::vector<PageRange> pinned_ ABSL_GUARDED_BY(lock_);
  PageCount pinned_pages_ ABSL_GUARDED_BY(lock_);
  topo::SpinningAtomic<std::uint32_t> freed_{0};   // raised when there is more room
  topo::SpinningAtomic<std::uint32_t> needed_{0};  // raised when a thread waits for it
  std::uint32_t needs_seen_ = 0;                   // of them, by the evictor
  std::atomic<bool> is_stopping_{false};
};

}  // namespace dsm
