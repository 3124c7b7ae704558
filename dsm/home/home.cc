#include "dsm/home/home.h"

#include <algorithm>
#include <utility>

namespace dsm {

absl::StatusOr<std::unique_ptr<HomePages>> HomePages::Make(int rank, Engine& engine,
                                                           std::span<std::uint64_t> stamps,
                                                           std::uint64_t page_bytes,
                                                           PageSource& source, Heat& heat) {
  std::unique_ptr<HomePages> home(new HomePages(rank, engine, stamps, page_bytes, source, heat));
  auto states = Reserved::Zeros(stamps.size() * sizeof(Page));
  if (!states.ok()) return states.status();
  home->states_ = *std::move(states);
  home->pages_ = home->states_.as<Page>();
  return home;
}

bool HomePages::OnFault(std::uint64_t page, bool writes) {
  if (!writes || !pages_[page].watch.is_known()) return false;
  auto& watch = pages_[page].watch;
  if (watch.is_watched()) faults_.fetch_add(1, std::memory_order_relaxed);
  watch.BeginWrite();
  if (!engine_.AllowWrites(page * page_bytes_, page_bytes_)) {
    source_.OnRefused("let write", {page, page + 1});
  }
  watch.EndWrite();
  return true;
}

void HomePages::OnChanged(std::uint64_t page, Stamp change) {
  std::atomic_ref<std::uint64_t> stamp(stamps_[page]);
  std::uint64_t before = stamp.load(std::memory_order_relaxed);
  Stamp now;
  do {
    now = Stamp(before).With(change);
  } while (!stamp.compare_exchange_weak(before, now.bits(), std::memory_order_release,
                                        std::memory_order_relaxed));
  if (now == Stamp::ByMany(now.epoch()) && Stamp(before) != now) {
    heat_.Count(page, &PageHeat::shared);
  }
}

void HomePages::AddHeld(PageRange pages) {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    if (std::exchange(pages_[page].is_held, true)) continue;
    held_.push_back(page);
  }
}

void HomePages::Flush(std::uint64_t epoch) {
  using Known = BasicWatch<topo::SpinningAtomic>::Known;
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> to_watch;
  std::erase_if(held_, [&](std::uint64_t page) {
    const Known known = pages_[page].watch.Flush();
    if (known == Known::kUnchanged) return false;
    OnChanged(page, Stamp(epoch, rank_));
    stamped_.fetch_add(1, std::memory_order_relaxed);
    if (known == Known::kWatch) to_watch.push_back(page);
    // All who had it drop it now; who fetches it again says so.
    pages_[page].is_held = false;
    return true;
  });
  std::sort(to_watch.begin(), to_watch.end());
  for (const PageRange& range : AsRanges(to_watch)) {
    if (engine_.Protect(range.first * page_bytes_, (range.last - range.first) * page_bytes_)) {
      watched_.fetch_add(range.last - range.first, std::memory_order_relaxed);
      continue;
    }
    // So they count as written, until it works.
    for (std::uint64_t page = range.first; page < range.last; ++page)
      pages_[page].watch.SetWritten();
  }
}

}  // namespace dsm
