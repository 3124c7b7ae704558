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
  auto writes = PageArray<Writes>::Make(memory.pages());
  if (!writes.ok()) return writes.status();
  home->writes_ = *std::move(writes);
  auto is_held = PageArray<bool>::Make(memory.pages());
  if (!is_held.ok()) return is_held.status();
  const topo::Lock lock(home->mutex_);
  home->is_held_ = *std::move(is_held);
  return home;
}

void HomePages::Add(PageRange pages) {
  if (races_ != nullptr) races_->Watch(pages);
}

void HomePages::Remove(PageRange pages) {
  if (races_ != nullptr) races_->Unwatch(pages);
  writes_.Clear(pages);
  const topo::Lock lock(mutex_);
  std::erase_if(held_, [&](PageNumber page) { return pages.Contains(page); });
  is_held_.Clear(pages);
}

bool HomePages::OnFault(PageNumber page, Access access) {
  if (access == Access::kRead) return false;
  const bool is_raced = races_ != nullptr && races_->OnWrite(page);
  if (!writes_[page].is_known()) return is_raced;
  LetWrite(page);
  return true;
}

void HomePages::LetWrite(PageNumber page) {
  Writes& writes = writes_[page];
  if (writes.is_tracked()) faults_.fetch_add(1, std::memory_order_relaxed);
  writes.BeginWrite();
  mapper_.AllowWrites(PageRange::Only(page));
  writes.EndWrite();
}

void HomePages::Open(PageNumber page) {
  // There must be memory to install.
  constexpr std::size_t kSystemPage = 4096;
  const std::span<std::byte> bytes = memory_.BytesOf(page);
  for (std::size_t at = 0; at < bytes.size(); at += kSystemPage) {
    (void)*const_cast<const volatile std::byte*>(&bytes[at]);
  }
  mapper_.Install(PageRange::Only(page), PageMapper::Mode::kWritable);
}

void HomePages::OnFaultOpened(PageNumber page, Access access) {
  mapper_.InstallAgain(PageRange::Only(page), PageMapper::Mode::kReadOnly);
  if (access != Access::kRead) LetWrite(page);
}

void HomePages::Close(PageRange pages) {
  mapper_.Invalidate(pages);
  Remove(pages);
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
    if (!std::exchange(is_held_[page], true)) held_.push_back(page);
  }
}

// What is known of a page that others may hold, at the end of the epoch: it was not changed, or it
// has a new version.
bool HomePages::IsStillHeld(PageNumber page, std::uint64_t epoch,
                            std::vector<PageNumber>& to_track) {
  const Writes::Known known = writes_[page].Flush();
  if (known == Writes::Known::kUnchanged) return true;
  Change(page, PageVersion(epoch, rank_));
  versioned_.fetch_add(1, std::memory_order_relaxed);
  if (known == Writes::Known::kTrack) to_track.push_back(page);
  // All ranks that have it drop it now; a rank that fetches it again says so.
  is_held_[page] = false;
  return false;
}

std::vector<Race> HomePages::Flush(std::uint64_t epoch) {
  std::vector<Race> races;
  if (races_ != nullptr) races = races_->Flush();
  const topo::Lock lock(mutex_);
  std::vector<PageNumber> to_track;
  std::size_t still_held = 0;
  for (const PageNumber page : held_) {
    if (IsStillHeld(page, epoch, to_track)) held_[still_held++] = page;
  }
  held_.resize(still_held);
  std::sort(to_track.begin(), to_track.end());
  for (const PageRange& range : AsRanges(to_track)) {
    if (mapper_.TryProtect(range)) {
      tracked_.fetch_add(range.count().value(), std::memory_order_relaxed);
      continue;
    }
    // They count as written, until the system lets them be protected.
    for (const PageNumber page : range) writes_[page].SetWritten();
  }
  return races;
}

}  // namespace dsm
