#include "dsm/layout/allocation_table.h"

#include <algorithm>
#include <utility>

namespace dsm {

bool Allocation::MayBeAt(int rank, PageRange pages) const {
  if (pages.first < this->pages().first || pages.last > this->pages().last) return false;
  for (const PageNumber page : pages) {
    if (!touched[page.value()].MayBeAt(rank)) return false;
  }
  return true;
}

// Callers go from run to run, or want what lies near the first.
PageRange Allocation::NextTouchedBy(int rank, PageNumber from) const {
  constexpr PageCount kMost(512);
  const PageNumber end = pages().last;
  PageRange run = {from, from};
  while (run.first < end && HomeOf(run.first) != rank) ++run.first;
  run.last = run.first;
  while (run.last < end && run.count() < kMost && HomeOf(run.last) == rank) ++run.last;
  return run;
}

std::vector<PageRange> Allocation::PagesOf(int rank) const {
  std::vector<PageRange> ranges;
  if (touched == nullptr) {
    ranges = distribution.PagesOf(rank);
    for (PageRange& range : ranges) range = InSpace(range);
    return ranges;
  }
  for (PageRange run = NextTouchedBy(rank, first_page); !run.empty();
       run = NextTouchedBy(rank, run.last)) {
    if (ranges.empty() || ranges.back().last != run.first) {
      ranges.push_back(run);
    } else {
      ranges.back().last = run.last;
    }
  }
  return ranges;
}

// The last entry that begins at the page or before; entries and count may change meanwhile. Loads
// are acquire, so that the version is read after them.
const Allocation* AllocationTable::Search(PageNumber page) const {
  std::size_t first = 0, last = count_.load(std::memory_order_acquire);
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (entries_[middle].first_page.load(std::memory_order_acquire) <= page.value()) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first == 0 ? nullptr : entries_[first - 1].allocation.load(std::memory_order_acquire);
}

const Allocation* AllocationTable::At(PageNumber page) const {
  const Allocation* found = nullptr;
  std::uint32_t before = 0;
  do {
    before = version_.load(std::memory_order_acquire);
    found = Search(page);
  } while (before % 2 != 0 || version_.load(std::memory_order_relaxed) != before);
  return found != nullptr && page < found->pages().last ? found : nullptr;
}

std::span<const std::unique_ptr<const Allocation>> AllocationTable::From(PageNumber page) const {
  const auto first = std::upper_bound(
      all_.begin(), all_.end(), page,
      [](PageNumber wanted, const auto& each) { return wanted < each->pages().last; });
  return {first, all_.end()};
}

std::optional<PageNumber> AllocationTable::FindRoom(PageCount pages, PageNumber end) const {
  PageNumber room;
  for (const std::unique_ptr<const Allocation>& allocation : all_) {
    if (pages <= allocation->first_page - room) return room;
    room = allocation->pages().last;
  }
  if (pages <= end - room) return room;
  return std::nullopt;
}

// Entries from this one on are as all_.
void AllocationTable::Publish(std::size_t from) {
  // Stores are release, so that a reader that sees one sees the odd version, too.
  version_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = from; i < all_.size(); ++i) {
    entries_[i].first_page.store(all_[i]->first_page.value(), std::memory_order_release);
    entries_[i].allocation.store(all_[i].get(), std::memory_order_release);
  }
  count_.store(all_.size(), std::memory_order_release);
  version_.fetch_add(1, std::memory_order_release);
}

const Allocation* AllocationTable::Insert(std::unique_ptr<const Allocation> allocation) {
  const auto before = std::find_if(all_.begin(), all_.end(), [&](const auto& other) {
    return allocation->first_page < other->first_page;
  });
  const auto at = all_.insert(before, std::move(allocation));
  Publish(static_cast<std::size_t>(at - all_.begin()));
  return at->get();
}

void AllocationTable::Remove(const Allocation& allocation) {
  const auto at = std::find_if(all_.begin(), all_.end(),
                               [&](const auto& other) { return other.get() == &allocation; });
  removed_.reset();
  removed_.swap(*at);
  const auto next = all_.erase(at);
  Publish(static_cast<std::size_t>(next - all_.begin()));
}

}  // namespace dsm
