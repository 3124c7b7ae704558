#include "dsm/home/races.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "dsm/diff/diff.h"

namespace dsm {

absl::StatusOr<std::unique_ptr<RaceFinder>> RaceFinder::Make(int rank, const PageMapper& mapper,
                                                             PageMemory memory) {
  std::unique_ptr<RaceFinder> finder(new RaceFinder(rank, mapper, memory));
  auto pages = PageArray<Page>::Make(memory.pages());
  if (!pages.ok()) return pages.status();
  finder->pages_ = *std::move(pages);
  auto twins = Reserved::Zeros(memory.all().size());
  if (!twins.ok()) return twins.status();
  finder->twin_memory_ = *std::move(twins);
  finder->twins_ =
      PageMemory({finder->twin_memory_.data(), finder->twin_memory_.bytes()}, memory.page_size());
  auto written = PageArray<PageNumber>::Make(memory.pages());
  if (!written.ok()) return written.status();
  const topo::Lock lock(finder->written_lock_);
  finder->written_ = *std::move(written);
  return finder;
}

void RaceFinder::Watch(PageRange pages) {
  for (const PageNumber page : pages) {
    mapper_.Protect(PageRange::Only(page));
    pages_[page].Done(PageState::kClean);
  }
}

bool RaceFinder::OnWrite(PageNumber page) {
  if (pages_[page].state() == PageState::kAbsent) return false;
  if (pages_[page].Begin(Access::kWrite) != FaultAction::kArm) return true;
  std::memcpy(twins_.BytesOf(page).data(), memory_.BytesOf(page).data(), page_bytes());
  {
    const topo::Lock lock(written_lock_);
    written_[written_end_] = page;
    ++written_end_;
  }
  mapper_.AllowWrites(PageRange::Only(page));
  pages_[page].Done(PageState::kDirty);
  return true;
}

// Until Done no thread keeps a twin of it. Returns the state that it had.
PageState RaceFinder::Hold(PageNumber page) {
  while (true) {
    const PageState state = pages_[page].WaitUntilItLasts();
    if (pages_[page].TryLeave(state)) return state;
  }
}

bool RaceFinder::Apply(PageNumber page, int from, ChangeOrder order,
                       std::span<const std::byte> diff) {
  const PageState state = Hold(page);
  const bool has_twin = state == PageState::kDirty;
  const std::span<std::byte> now = memory_.BytesOf(page), twin = twins_.BytesOf(page);
  bool is_good = false;
  {
    const topo::Lock lock(mutex_);
    if (order == ChangeOrder::kUnordered && !diff.empty()) {
      if (has_twin) {
        for (const std::size_t byte : Conflicts(diff, twin, now)) Add(page, byte, from, rank_);
      }
      // As if every byte had changed: those that the difference has.
      const std::vector<std::byte> zeros(page_bytes()), ones(page_bytes(), std::byte{1});
      std::vector<int>& writers = writers_.try_emplace(page.value(), page_bytes()).first->second;
      for (const std::size_t byte : Conflicts(diff, zeros, ones)) {
        const int before = std::exchange(writers[byte], from + 1);
        if (before != 0 && before != from + 1) Add(page, byte, before - 1, from);
      }
    }
    // The twin is then what the page would be without the writes here.
    is_good = ApplyDiff(diff, now) && (!has_twin || ApplyDiff(diff, twin));
  }
  pages_[page].Done(state);
  return is_good;
}

void RaceFinder::Add(PageNumber page, std::size_t byte, int one, int other) {
  found_.push_back(
      {memory_.page_size().OffsetOf(page) + byte, 1, std::min(one, other), std::max(one, other)});
}

std::vector<PageNumber> RaceFinder::TakeWritten() {
  const topo::Lock lock(written_lock_);
  std::vector<PageNumber> written(&written_[PageNumber(0)], &written_[written_end_]);
  written_end_ = PageNumber(0);
  return written;
}

// Bytes that this rank has written, and another too. Precondition: this thread holds the page,
// which has a twin.
void RaceFinder::Compare(PageNumber page) {
  const auto at = writers_.find(page.value());
  if (at == writers_.end()) return;
  const std::span<const std::byte> now = memory_.BytesOf(page), twin = twins_.BytesOf(page);
  for (std::size_t byte = 0; byte < now.size(); ++byte) {
    if (at->second[byte] == 0 || now[byte] == twin[byte]) continue;
    Add(page, byte, at->second[byte] - 1, rank_);
  }
}

std::vector<Race> RaceFinder::Flush() {
  for (const PageNumber page : TakeWritten()) {
    // Before mutex_: changes under locks, and those of evicted copies, are applied meanwhile by
    // threads that hold their pages and then take it.
    const PageState state = Hold(page);
    if (state != PageState::kDirty) {
      pages_[page].Done(state);
      continue;
    }
    mapper_.Protect(PageRange::Only(page));
    {
      const topo::Lock lock(mutex_);
      Compare(page);
    }
    pages_[page].Done(PageState::kClean);
  }
  std::vector<Race> found;
  {
    const topo::Lock lock(mutex_);
    writers_.clear();
    found = std::exchange(found_, {});
  }
  std::sort(found.begin(), found.end(), [](const Race& a, const Race& b) {
    return std::tie(a.offset, a.one, a.other) < std::tie(b.offset, b.one, b.other);
  });
  std::vector<Race> races;
  for (const Race& race : found) {
    Race* const last = races.empty() ? nullptr : &races.back();
    if (last != nullptr && *last == race) continue;
    if (last != nullptr && last->offset + last->bytes == race.offset && last->one == race.one &&
        last->other == race.other) {
      ++last->bytes;
    } else {
      races.push_back(race);
    }
  }
  return races;
}

}  // namespace dsm
