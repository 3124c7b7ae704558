#include "dsm/layout/address_map.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace dsm {

AddressMap::AddressMap(std::span<std::byte> view, PageSize page_size, int rank, int ranks,
                       std::uint64_t home_bytes, const FirstTouchPage* touched)
    : view_(view),
      page_size_(page_size),
      rank_(rank),
      ranks_(ranks),
      home_bytes_(home_bytes),
      touched_(touched),
      home_pages_used_(static_cast<std::size_t>(ranks)) {}

PageNumber AddressMap::end() const {
  return allocations().empty() ? PageNumber(0) : allocations().back()->pages().last;
}

absl::StatusOr<const Allocation*> AddressMap::Add(const ArrayShape& array, const Mapping& mapping) {
  auto distribution =
      Distribution::Make(array, mapping, {.page_bytes = page_size_.bytes(), .ranks = ranks_});
  if (!distribution.ok()) return distribution.status();
  const PageNumber end = page_size_.PageAt(view_.size());
  const auto first = table_.FindRoom(distribution->pages(), end);
  if (!first || allocations().size() == AllocationTable::kMost) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the space of ", view_.size(), " bytes has ", (end - this->end()).value(),
                     " pages left at its end, and no ", distribution->pages().value(),
                     " together (or ", AllocationTable::kMost, " allocations)"));
  }
  if (home_bytes_ > 0) {
    if (const absl::Status fits = TakeHomes(*distribution); !fits.ok()) return fits;
  }
  const bool is_by_touch = std::holds_alternative<FirstTouch>(mapping);
  return table_.Insert(std::make_unique<Allocation>(
      Allocation{*first, *std::move(distribution), array, is_by_touch ? touched_ : nullptr}));
}

absl::StatusOr<const Allocation*> AddressMap::Find(std::span<const std::byte> memory) const {
  const Allocation* const found =
      OffsetOf(memory.data()) < view_.size() ? AllocationAt(PageAt(memory.data())) : nullptr;
  if (found != nullptr && AddressOf(found->first_page) == memory.data() &&
      found->distribution.bytes() == memory.size()) {
    return found;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the ", memory.size(), " bytes at 0x",
      absl::Hex(reinterpret_cast<std::uintptr_t>(memory.data())), " are not an allocation"));
}

void AddressMap::Remove(const Allocation& allocation) {
  if (home_bytes_ > 0) {
    const std::vector<PageCount> homes = HomesOf(allocation.distribution);
    for (std::size_t rank = 0; rank < homes.size(); ++rank) home_pages_used_[rank] -= homes[rank];
  }
  table_.Remove(allocation);
}

// Pages at home, by rank.
std::vector<PageCount> AddressMap::HomesOf(const Distribution& distribution) const {
  std::vector<PageCount> homes(static_cast<std::size_t>(ranks_));
  const PageNumber end = PageNumber(0) + distribution.pages();
  for (PageNumber page; page < end;) {
    const int home = distribution.HomeOf(page);
    const PageRange pages = distribution.NextPagesOf(home, page);
    homes[static_cast<std::size_t>(home)] += pages.count();
    page = pages.last;
  }
  return homes;
}

// All ranks come to the same result.
absl::Status AddressMap::TakeHomes(const Distribution& distribution) {
  std::vector<PageCount> used = HomesOf(distribution);
  for (std::size_t rank = 0; rank < used.size(); ++rank) used[rank] += home_pages_used_[rank];
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

bool AddressMap::AreAtHome(PageRange pages) const {
  const Allocation* const allocation = AllocationAt(pages.first);
  if (allocation == nullptr || pages.first >= pages.last) return false;
  if (allocation->touched != nullptr) return allocation->MayBeAt(rank_, pages);
  const PageRange mine = allocation->NextPagesOf(rank_, pages.first);
  return mine.first == pages.first && mine.last >= pages.last;
}

absl::StatusOr<PageRange> AddressMap::PagesOf(std::span<const std::byte> memory) const {
  if (memory.empty()) return PageRange();
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto base = reinterpret_cast<std::uintptr_t>(view_.data());
  const std::uint64_t offset = at - base;
  const auto refused = [&] {
    return absl::OutOfRangeError(absl::StrCat("the ", memory.size(), " bytes at 0x", absl::Hex(at),
                                              " are not all allocated in the space"));
  };
  if (at < base || offset > view_.size() || memory.size() > view_.size() - offset) return refused();
  const PageRange pages = page_size_.PagesTouchedBy(BytesOf(memory));
  for (PageNumber page = pages.first; page < pages.last;) {
    const Allocation* const allocation = AllocationAt(page);
    if (allocation == nullptr) return refused();
    page = allocation->pages().last;
  }
  return pages;
}

}  // namespace dsm
