// Copies whose memory is needed for others: they become absent, and their frames are free. The
// order is FIFO (FramePool::TakeOldest); clean copies go before written ones.
#include <sys/mman.h>

#include <vector>

#include "dsm/cache/copies.h"

namespace dsm {

PageCount Copies::EvictClean() {
  // Pages that have arrived become copies as any.
  for (std::size_t slot = 0; slot < PendingFetches::kMost; ++slot) {
    const PageRange pages = pending_.ArrivedIn(slot);
    if (!pages.empty()) (void)TryArrive(pages.first);
  }
  return Evict(frames_.TakeOldest([this](PageNumber page) {
    return pages_[page].TryLeave(PageState::kAbsent) || pages_[page].TryLeave(PageState::kClean);
  }));
}

PageCount Copies::EvictWritten(ChangeSink& sink) {
  const std::vector<PageNumber> pages = frames_.TakeOldest(
      [this](PageNumber page) { return pages_[page].TryLeave(PageState::kDirty); });
  if (pages.empty()) return PageCount(0);
  const std::vector<PageRange> ranges = AsRanges(pages);
  SendProtected(ranges, sink);
  sink.Settle();
  for (const PageRange& range : ranges) twins_.Forget(range);
  return Evict(pages);
}

// Precondition: this thread has made the pages kLeaving, and what was written to them is at home.
// Returns their number.
PageCount Copies::Evict(std::span<const PageNumber> pages) {
  for (const PageRange& range : AsRanges(pages)) {
    mapper_.Invalidate(range);
    const std::span<std::byte> bytes = memory_.BytesOf(range);
    const bool is_free = madvise(bytes.data(), bytes.size(), MADV_REMOVE) == 0;
    mapper_.Require(is_free, "give back the memory of", range);
    frames_.Free(range);
    for (const PageNumber page : range) pages_[page].Done(PageState::kAbsent);
  }
  Forget(pages);
  counters_.Add(&CopyCounts::evicted, pages.size());
  frames_.NotifyFreed();
  return PageCount(pages.size());
}

}  // namespace dsm
