// The copies' memory, where it is bounded: who needs some waits for a thread that takes it
// from others. In handlers of faults nothing can be sent, so they do not do it themselves.
#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dsm/cache/copies.h"
#include "dsm/spin_lock.h"

namespace dsm {

// All of them have memory then, or none more than before.
bool Copies::TryReserve(PageRange pages) {
  if (!frames_.is_bounded()) return true;
  const SpinLock lock(lock_);
  std::uint64_t needed = 0;
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    if (!Is(page, kFramed)) ++needed;
  }
  if (!frames_.has_room(needed)) return false;
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    if (Is(page, kFramed)) continue;
    Set(page, kFramed);
    frames_.Add(page);
  }
  return true;
}

// Precondition: this thread has made it kFetching, and holds no memory that it could wait for.
void Copies::Reserve(std::uint64_t page) {
  while (true) {
    const std::uint32_t before = freed_.Load(std::memory_order_acquire);
    if (TryReserve({page, page + 1})) return;
    needed_.FetchAdd(1, std::memory_order_release);
    needed_.WakeAll();
    Pause([&] { freed_.WaitWhile(before); });
  }
}

bool Copies::TryPin(std::span<const PageRange> pages) {
  const SpinLock lock(lock_);
  std::uint64_t count = 0;
  for (const PageRange& range : pages) {
    for (std::uint64_t page = range.first; page < range.last; ++page) {
      if (!Is(page, kPinned)) ++count;
    }
  }
  // The rest is for what is touched meanwhile.
  if (frames_.is_bounded() && pinned_pages_ + count > frames_.most() / 2) return false;
  for (const PageRange& range : pages) {
    for (std::uint64_t page = range.first; page < range.last; ++page) Set(page, kPinned);
  }
  pinned_pages_ += count;
  pinned_.insert(pinned_.end(), pages.begin(), pages.end());
  return true;
}

void Copies::UnpinAll() {
  const SpinLock lock(lock_);
  for (const PageRange& range : pinned_) {
    for (std::uint64_t page = range.first; page < range.last; ++page) Clear(page, kPinned);
  }
  pinned_.clear();
  pinned_pages_ = 0;
}

bool Copies::WaitForNeed() {
  while (!is_stopping_.load(std::memory_order_acquire)) {
    const std::uint32_t now = needed_.Load(std::memory_order_acquire);
    if (now != needs_seen_) {
      needs_seen_ = now;
      return true;
    }
    needed_.WaitWhile(now);
  }
  return false;
}

void Copies::Stop() {
  is_stopping_.store(true, std::memory_order_release);
  needed_.FetchAdd(1, std::memory_order_release);
  needed_.WakeAll();
}

// The oldest that `leave` lets have: it makes pages kLeaving, or says no.
template <typename Leave>
std::vector<std::uint64_t> Copies::TakeOldest(Leave leave) {
  constexpr std::uint64_t kMost = 256;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(frames_.most() / 16, 1, kMost);
  std::vector<std::uint64_t> taken;
  taken.reserve(wanted);
  {
    const SpinLock lock(lock_);
    for (std::uint64_t looked_at = frames_.waiting(); looked_at > 0 && taken.size() < wanted;
         --looked_at) {
      const std::uint64_t page = frames_.Take();
      if (!Is(page, kPinned) && leave(pages_[page])) {
        taken.push_back(page);
      } else {
        frames_.PutBack(page);
      }
    }
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

// Precondition: this thread has made them kLeaving, and what was written to them is at home.
void Copies::GiveBack(std::span<const std::uint64_t> pages) {
  for (const PageRange& range : AsRanges(pages)) {
    const std::uint64_t at = range.first * page_bytes_;
    const std::uint64_t bytes = (range.last - range.first) * page_bytes_;
    Require(engine_.Invalidate(at, bytes), "invalidate", range);
    Require(madvise(&memory_[at], bytes, MADV_REMOVE) == 0, "give back the memory of", range);
    {
      const SpinLock lock(lock_);
      for (std::uint64_t page = range.first; page < range.last; ++page) {
        Clear(page, kFramed | kNew);
        frames_.Free();
      }
    }
    for (std::uint64_t page = range.first; page < range.last; ++page) {
      pages_[page].Done(PageState::kAbsent);
    }
  }
  evicted_.fetch_add(pages.size(), std::memory_order_relaxed);
  freed_.FetchAdd(1, std::memory_order_release);
  freed_.WakeAll();
}

std::uint64_t Copies::EvictClean() {
  TakeArrived();
  const std::vector<std::uint64_t> pages = TakeOldest([](Page& page) {
    return page.TryLeave(PageState::kAbsent) || page.TryLeave(PageState::kClean);
  });
  GiveBack(pages);
  return pages.size();
}

std::uint64_t Copies::EvictWritten(ChangeSink& sink) {
  const std::vector<std::uint64_t> pages =
      TakeOldest([](Page& page) { return page.TryLeave(PageState::kDirty); });
  if (pages.empty()) return 0;
  Send(AsRanges(pages), sink);
  sink.Settle();
  for (const PageRange& range : AsRanges(pages)) ForgetTwins(range);
  GiveBack(pages);
  return pages.size();
}

std::uint64_t Copies::frames_used() {
  const SpinLock lock(lock_);
  return frames_.used();
}

}  // namespace dsm
