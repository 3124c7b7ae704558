// The layout of a space: its range of addresses, its allocations, and the home of each page. All
// ranks have the same.
//
// Threads: Add and Remove by one at a time; allocations() beside neither; the rest by any, and by
//   handlers of signals where nothing is allocated and no status returned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/layout/allocation_table.h"
#include "dsm/layout/distribution.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A resource.
class AddressMap {
 public:
  // `view`: the addresses that the program uses, whole pages. `home_bytes`: of pages at home on a
  // rank, at most; zero: no bound. `touched`: all pages of the view, for allocations by first
  // touch; null: there are none.
  AddressMap(std::span<std::byte> view, PageSize page_size, int rank, int ranks,
             std::uint64_t home_bytes, const FirstTouchPage* touched = nullptr);
  AddressMap(const AddressMap&) = delete;
  AddressMap& operator=(const AddressMap&) = delete;

  PageSize page_size() const { return page_size_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // A new allocation in the first gap that has room. Errors: those of Distribution::Make;
  // ResourceExhausted where the space, the memory for homes or the table of allocations is full.
  absl::StatusOr<const Allocation*> Add(const ArrayShape& array, const Mapping& mapping);
  // The allocation of this very memory, as Add's caller sees it. Errors: InvalidArgument for any
  // other memory.
  absl::StatusOr<const Allocation*> Find(std::span<const std::byte> memory) const;
  // Its pages may be allocated anew. Precondition: no thread uses them.
  void Remove(const Allocation& allocation);
  // By address.
  std::span<const std::unique_ptr<const Allocation>> allocations() const { return table_.all(); }
  // The end of the last allocation.
  PageNumber end() const;

  // Null: the page is not allocated.
  const Allocation* AllocationAt(PageNumber page) const { return table_.At(page); }
  // Preconditions: allocated.
  int HomeOf(PageNumber page) const { return AllocationAt(page)->HomeOf(page); }  // or kNoHome
  int HomeOf(const void* at) const { return HomeOf(PageAt(at)); }
  const Distribution& DistributionOf(const void* at) const {
    return AllocationAt(PageAt(at))->distribution;
  }
  // Are they pages of one piece that is at home on this rank, as another rank may know? False for
  // any other numbers.
  bool AreAtHome(PageRange pages) const;
  // The pages from this one on that lie in its allocation and have its home. Precondition:
  // allocated.
  PageRange RunAt(PageNumber page) const {
    const Allocation& allocation = *AllocationAt(page);
    return allocation.NextPagesOf(allocation.HomeOf(page), page);
  }

  std::uint64_t OffsetOf(const void* at) const {
    return reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(view_.data());
  }
  PageNumber PageAt(const void* at) const { return page_size_.PageAt(OffsetOf(at)); }
  std::byte* AddressOf(std::uint64_t offset) const { return view_.data() + offset; }
  std::byte* AddressOf(PageNumber page) const { return AddressOf(page_size_.OffsetOf(page)); }
  // All pages that the memory lies in. Errors: OutOfRange where not all of it is allocated.
  absl::StatusOr<PageRange> PagesOf(std::span<const std::byte> memory) const;
  // Precondition: PagesOf returns no error.
  ByteRange BytesOf(std::span<const std::byte> memory) const {
    return {OffsetOf(memory.data()), OffsetOf(memory.data()) + memory.size()};
  }

  // f(home, pages) for each of the runs of pages with one home that the pages consist of,
  // ascending. Precondition: allocated.
  template <typename F>
  void ForEachRun(PageRange pages, F f) const {
    while (!pages.empty()) {
      const Allocation& allocation = *AllocationAt(pages.first);
      const int home = allocation.HomeOf(pages.first);
      const PageNumber last = std::min(pages.last, allocation.NextPagesOf(home, pages.first).last);
      f(home, PageRange{pages.first, last});
      pages.first = last;
    }
  }
  // The same for those of any pages that are allocated. Not beside Add and Remove.
  template <typename F>
  void ForEachAllocatedRun(PageRange pages, F f) const {
    for (const auto& allocation : table_.From(pages.first)) {
      const PageRange there = allocation->pages();
      if (there.first >= pages.last) break;
      ForEachRun({std::max(pages.first, there.first), std::min(pages.last, there.last)}, f);
    }
  }
  // The same for those that are not at home on this rank.
  template <typename F>
  void ForEachForeignRun(PageRange pages, F f) const {
    ForEachRun(pages, [&](int home, PageRange run) {
      if (home != rank_) f(home, run);
    });
  }

 private:
  absl::Status TakeHomes(const Distribution& distribution);
  std::vector<PageCount> HomesOf(const Distribution& distribution) const;

  const std::span<std::byte> view_;
  const PageSize page_size_;
  const int rank_, ranks_;
  const std::uint64_t home_bytes_;
  const FirstTouchPage* const touched_;
  AllocationTable table_;
  std::vector<PageCount> home_pages_used_;  // by rank
};

}  // namespace dsm
