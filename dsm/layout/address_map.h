// What lies where in a space: its range of addresses, its allocations one behind the other, and the
// home of each page. All ranks have the same.
//
// Threads: Add by one at a time; the rest by any, in signal handlers too where nothing is allocated
//   and no status returned. A handler that runs beside Add sees all of the new allocation, or
//   nothing of it: the allocations are published by their count.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/layout/distribution.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A piece of a space, by the space's own page numbers. A value.
struct Allocation {
  PageNumber first_page;
  Distribution distribution;
  ArrayShape shape;

  PageRange pages() const { return {first_page, first_page + distribution.pages()}; }
  int HomeOf(PageNumber page) const { return distribution.HomeOf(InDistribution(page)); }
  // As Distribution::NextPagesOf.
  PageRange NextPagesOf(int rank, PageNumber from) const {
    return InSpace(distribution.NextPagesOf(rank, InDistribution(from)));
  }
  // As Distribution::PagesOf.
  std::vector<PageRange> PagesOf(int rank) const;

 private:
  PageNumber InDistribution(PageNumber page) const { return PageNumber(0) + (page - first_page); }
  PageRange InSpace(PageRange pages) const {
    return {first_page + (pages.first - PageNumber(0)), first_page + (pages.last - PageNumber(0))};
  }
};

// A resource.
class AddressMap {
 public:
  // `view`: the addresses that the program uses, whole pages. `home_bytes`: of pages at home on a
  // rank, at most; zero: no bound.
  AddressMap(std::span<std::byte> view, PageSize page_size, int rank, int ranks,
             std::uint64_t home_bytes);
  AddressMap(const AddressMap&) = delete;
  AddressMap& operator=(const AddressMap&) = delete;

  PageSize page_size() const { return page_size_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // A new allocation behind all others. Errors: those of Distribution::Make; ResourceExhausted
  // where the space, the memory for homes or the table of allocations is full.
  absl::StatusOr<const Allocation*> Add(const ArrayShape& array, const Mapping& mapping);
  std::span<const std::unique_ptr<const Allocation>> allocations() const {
    return {allocations_.get(), allocation_count_.load(std::memory_order_acquire)};
  }
  // All pages that are allocated.
  PageRange pages() const;

  // Null: the page is not allocated.
  const Allocation* AllocationAt(PageNumber page) const;
  // Preconditions: allocated.
  int HomeOf(PageNumber page) const { return AllocationAt(page)->HomeOf(page); }
  int HomeOf(const void* at) const { return HomeOf(PageAt(at)); }
  const Distribution& DistributionOf(const void* at) const {
    return AllocationAt(PageAt(at))->distribution;
  }
  // Are they pages of one piece that is at home on this rank? False for any other numbers.
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
      const PageNumber last = std::min(pages.last, RunAt(pages.first).last);
      f(HomeOf(pages.first), PageRange{pages.first, last});
      pages.first = last;
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
  static constexpr std::size_t kMostAllocations = 1 << 16;

  absl::Status TakeHomes(const Distribution& distribution);

  const std::span<std::byte> view_;
  const PageSize page_size_;
  const int rank_, ranks_;
  const std::uint64_t home_bytes_;
  std::unique_ptr<std::unique_ptr<const Allocation>[]> allocations_;  // by address
  std::atomic<std::size_t> allocation_count_{0};
  std::vector<PageCount> home_pages_used_;  // by rank
};

}  // namespace dsm
