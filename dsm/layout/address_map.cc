#include "dsm/layout/address_map.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace dsm {

std::vector<PageRange> Allocation::PagesOf(int rank) const {
  std::vector<PageRange> ranges = distribution.PagesOf(rank);
  for (PageRange& range : ranges) range = InSpace(range);
  return ranges;
}

AddressMap::AddressMap(std::span<std::byte> view, PageSize page_size, int rank, int ranks,
                       std::uint64_t home_bytes)
    : view_(view),
      page_size_(page_size),
      rank_(rank),
      ranks_(ranks),
      home_bytes_(home_bytes),
      allocations_(new std::unique_ptr<const Allocation>[kMostAllocations]),
      home_pages_used_(static_cast<std::size_t>(ranks)) {}

PageRange AddressMap::pages() const {
  const auto all = allocations();
  return {PageNumber(0), all.empty() ? PageNumber(0) : all.back()->pages().last};
}

absl::StatusOr<const Allocation*> AddressMap::Add(const ArrayShape& array, const Mapping& mapping) {
  auto distribution =
      Distribution::Make(array, mapping, {.page_bytes = page_size_.bytes(), .ranks = ranks_});
  if (!distribution.ok()) return distribution.status();
  const std::size_t count = allocation_count_.load(std::memory_order_relaxed);
  const PageNumber first = pages().last;
  const PageCount left = page_size_.PageAt(view_.size()) - first;
  if (count == kMostAllocations || distribution->pages() > left) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the space of ", view_.size(), " bytes has ", left.value(), " pages left, not ",
        distribution->pages().value(), " (or ", kMostAllocations, " allocations)"));
  }
  if (home_bytes_ > 0) {
    if (const absl::Status fits = TakeHomes(*distribution); !fits.ok()) return fits;
  }
  allocations_[count] =
      std::make_unique<Allocation>(Allocation{first, *std::move(distribution), array});
  allocation_count_.store(count + 1, std::memory_order_release);
  return allocations_[count].get();
}

// All ranks come to the same result.
absl::Status AddressMap::TakeHomes(const Distribution& distribution) {
  std::vector<PageCount> used = home_pages_used_;
  const PageNumber end = PageNumber(0) + distribution.pages();
  for (PageNumber page; page < end;) {
    const int home = distribution.HomeOf(page);
    const PageRange pages = distribution.NextPagesOf(home, page);
    used[static_cast<std::size_t>(home)] += pages.count();
    page = pages.last;
  }
  const PageCount most = page_size_.WholePagesIn(home_bytes_);
  for (std::size_t rank = 0; rank < used.size(); ++rank) {
    if (used[rank] <= most) continue;
    return absl::ResourceExhaustedError(
        absl::StrCat("rank ", rank, " has room for ", most.value(), " pages at home (", home_bytes_,
                     " bytes), and ", home_pages_used_[rank].value(), " are taken: not for ",
                     (used[rank] - home_pages_used_[rank]).value(), " more"));
  }
  home_pages_used_ = std::move(used);
  return absl::OkStatus();
}

const Allocation* AddressMap::AllocationAt(PageNumber page) const {
  const auto all = allocations();
  const auto next =
      std::upper_bound(all.begin(), all.end(), page,
                       [](PageNumber wanted, const std::unique_ptr<const Allocation>& allocation) {
                         return wanted < allocation->first_page;
                       });
  if (next == all.begin()) return nullptr;
  const Allocation* const found = (next - 1)->get();
  return page < found->pages().last ? found : nullptr;
}

bool AddressMap::AreAtHome(PageRange pages) const {
  const Allocation* const allocation = AllocationAt(pages.first);
  if (allocation == nullptr || pages.first >= pages.last) return false;
  const PageRange mine = allocation->NextPagesOf(rank_, pages.first);
  return mine.first == pages.first && mine.last >= pages.last;
}

absl::StatusOr<PageRange> AddressMap::PagesOf(std::span<const std::byte> memory) const {
  if (memory.empty()) return PageRange();
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto base = reinterpret_cast<std::uintptr_t>(view_.data());
  const std::uint64_t offset = at - base;
  // Allocations lie without gaps.
  if (at < base || offset > view_.size() || memory.size() > view_.size() - offset ||
      AllocationAt(PageAt(&memory.back())) == nullptr) {
    return absl::OutOfRangeError(absl::StrCat("the ", memory.size(), " bytes at 0x", absl::Hex(at),
                                              " are not all allocated in the space"));
  }
  return page_size_.PagesTouchedBy(BytesOf(memory));
}

}  // namespace dsm
