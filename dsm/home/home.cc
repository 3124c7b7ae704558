#include "dsm/home/home.h"

#include <algorithm>
#include <utility>

#include "dsm/diff/diff.h"

namespace dsm {

absl::StatusOr<std::unique_ptr<HomePages>> HomePages::Make(int rank, const PageMapper& mapper,
                                                           PageMemory memory,
                                                           std::span<std::uint64_t> versions,
                                                           Heat& heat,
                                                           std::unique_ptr<RaceFinder> races) {
  std::unique_ptr<HomePages> home(
      new HomePages(rank, mapper, memory, versions, heat, std::move(races)));
  auto pages = PageArray<Page>::Make(memory.pages());
  if (!pages.ok()) return pages.status();
  home->pages_ = *std::move(pages);
  return home;
}

void HomePages::Add(PageRange pages) {
  if (races_ != nullptr) races_->Watch(pages);
}

bool HomePages::OnFault(PageNumber page, Access access) {
  if (access == Access::kRead) return false;
  const bool is_raced = races_ != nullptr && races_->OnWrite(page);
  auto& writes = pages_[page].writes;
  if (!writes.is_known()) return is_raced;
  if (writes.is_tracked()) faults_.fetch_add(1, std::memory_order_relaxed);
  writes.BeginWrite();
  mapper_.AllowWrites(PageRange::Only(page));
  writes.EndWrite();
  return true;
}

bool HomePages::Apply(const HomeChange& change) {
  const bool is_good = races_ != nullptr
                           ? races_->Apply(change.page, change.from, change.order, change.diff)
                           : ApplyDiff(change.diff, memory_.BytesOf(change.page));
  if (is_good) Change(change.page, PageVersion(change.epoch, change.from));
  return is_good;
}

// Precondition: the change is in the page.
void HomePages::Change(PageNumber page, PageVersion change) {
  std::atomic_ref<std::uint64_t> version(versions_[page.value()]);
  std::uint64_t before = version.load(std::memory_order_relaxed);
  PageVersion now;
  do {
    now = PageVersion(before).With(change);
  } while (!version.compare_exchange_weak(before, now.bits(), std::memory_order_release,
                                          std::memory_order_relaxed));
  if (now == PageVersion::ByMany(now.epoch()) && PageVersion(before) != now) {
    heat_.Count(page, &PageHeat::shared);
  }
}

void HomePages::AddHeld(PageRange pages) {
  const topo::Lock lock(mutex_);
  for (const PageNumber page : pages) {
    if (!std::exchange(pages_[page].is_held, true)) held_.push_back(page);
  }
}

std::vector<Race> HomePages::Flush(std::uint64_t epoch) {
  using Known = BasicWriteTracker<topo::SpinningAtomic>::Known;
  std::vector<Race> races;
  if (races_ != nullptr) races = races_->Flush();
  const topo::Lock lock(mutex_);
  std::vector<PageNumber> to_track;
  std::erase_if(held_, [&](PageNumber page) {
    const Known known = pages_[page].writes.Flush();
    if (known == Known::kUnchanged) return false;
    Change(page, PageVersion(epoch, rank_));
    versioned_.fetch_add(1, std::memory_order_relaxed);
    if (known == Known::kTrack) to_track.push_back(page);
    // All ranks that have it drop it now; a rank that fetches it again says so.
    pages_[page].is_held = false;
    return true;
  });
  std::sort(to_track.begin(), to_track.end());
  for (const PageRange& range : AsRanges(to_track)) {
    if (mapper_.TryProtect(range)) {
      tracked_.fetch_add(range.count().value(), std::memory_order_relaxed);
      continue;
    }
    // They count as written, until the system lets them be protected.
    for (const PageNumber page : range) pages_[page].writes.SetWritten();
  }
  return races;
}

}  // namespace dsm
