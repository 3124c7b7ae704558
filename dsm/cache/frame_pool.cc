#include "dsm/cache/frame_pool.h"

#include <utility>

namespace dsm {

absl::Status FramePool::Open(PageCount most) {
  auto frames = Frames::Make(most);
  if (!frames.ok()) return frames.status();
  most_ = most;
  const topo::Lock lock(lock_);
  frames_ = *std::move(frames);
  return absl::OkStatus();
}

PageCount FramePool::used() {
  const topo::Lock lock(lock_);
  return frames_.used();
}

bool FramePool::TryReserve(PageRange pages) {
  if (!is_bounded()) return true;
  const topo::Lock lock(lock_);
  PageCount needed;
  for (const PageNumber page : pages) {
    if (!marks_.Is(page, kFramed)) needed += PageCount(1);
  }
  if (!frames_.has_room(needed)) return false;
  for (const PageNumber page : pages) {
    if (marks_.Is(page, kFramed)) continue;
    marks_.Set(page, kFramed);
    frames_.Add(page);
  }
  return true;
}

void FramePool::Reserve(PageNumber page, Waiter waiter) {
  while (true) {
    const std::uint32_t before = freed_.Load(std::memory_order_acquire);
    if (TryReserve(PageRange::Only(page))) return;
    needed_.FetchAdd(1, std::memory_order_release);
    needed_.WakeAll();
    waiter.Pause([&] { freed_.WaitWhile(before); });
  }
}

bool FramePool::TryPin(std::span<const PageRange> pages) {
  const topo::Lock lock(lock_);
  PageCount count;
  for (const PageRange& range : pages) {
    for (const PageNumber page : range) {
      if (!marks_.Is(page, kPinned)) count += PageCount(1);
    }
  }
  if (pinned_pages_ + count > most_at_once()) return false;
  for (const PageRange& range : pages) {
    for (const PageNumber page : range) marks_.Set(page, kPinned);
  }
  pinned_pages_ += count;
  pinned_.insert(pinned_.end(), pages.begin(), pages.end());
  return true;
}

void FramePool::UnpinAll() {
  const topo::Lock lock(lock_);
  for (const PageRange& range : pinned_) {
    for (const PageNumber page : range) marks_.Clear(page, kPinned);
  }
  pinned_.clear();
  pinned_pages_ = PageCount(0);
}

void FramePool::Free(PageRange pages) {
  const topo::Lock lock(lock_);
  for (const PageNumber page : pages) {
    marks_.Clear(page, kFramed | kNew);
    frames_.Free();
  }
}

void FramePool::FreeAllOf(PageRange pages) {
  const topo::Lock lock(lock_);
  frames_.FreeIf([&](PageNumber page) {
    if (!pages.Contains(page)) return false;
    marks_.Clear(page, kFramed | kNew);
    return true;
  });
}

void FramePool::NotifyFreed() {
  freed_.FetchAdd(1, std::memory_order_release);
  freed_.WakeAll();
}

bool FramePool::WaitForNeed() {
  while (!is_stopping()) {
    const std::uint32_t now = needed_.Load(std::memory_order_acquire);
    if (now != needs_seen_) {
      needs_seen_ = now;
      return true;
    }
    needed_.WaitWhile(now);
  }
  return false;
}

void FramePool::Stop() {
  is_stopping_.store(true, std::memory_order_release);
  needed_.FetchAdd(1, std::memory_order_release);
  needed_.WakeAll();
}

}  // namespace dsm
