// The allocations of a space by address, as handlers of faults look them up while one is added or
// removed.
//
// A handler takes no lock, so the table is read under a sequence lock: the writer makes the version
// odd while it changes entries, and a reader that saw a change looks again.
//
// Threads: At by any, in signal handlers too; the rest by one at a time.
// Order: what came before Insert happens before what follows an At that finds the allocation.
// Progress: At waits for a change under way, of some entries.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsm/layout/distribution.h"
#include "dsm/layout/first_touch.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A piece of a space, by the space's own page numbers. A value.
struct Allocation {
  PageNumber first_page;
  Distribution distribution;
  ArrayShape shape;
  // Where homes are by first touch: of all pages of the space; else null.
  const FirstTouchPage* touched = nullptr;

  PageRange pages() const { return {first_page, first_page + distribution.pages()}; }
  // By first touch it may be kNoHome.
  int HomeOf(PageNumber page) const {
    return touched != nullptr ? touched[page.value()].home() : KeeperOf(page);
  }
  // The rank that keeps the word of a page's first touch, and the home by distribution.
  int KeeperOf(PageNumber page) const { return distribution.HomeOf(InDistribution(page)); }
  // By first touch: may other ranks know already that the pages are at home on this rank, `rank`?
  // False for pages that are not in it.
  bool MayBeAt(int rank, PageRange pages) const;
  // As Distribution::NextPagesOf; by first touch a part of them, from the first on.
  PageRange NextPagesOf(int rank, PageNumber from) const {
    if (touched != nullptr) return NextTouchedBy(rank, from);
    return InSpace(distribution.NextPagesOf(rank, InDistribution(from)));
  }
  // As Distribution::PagesOf.
  std::vector<PageRange> PagesOf(int rank) const;

 private:
  PageRange NextTouchedBy(int rank, PageNumber from) const;
  PageNumber InDistribution(PageNumber page) const { return PageNumber(0) + (page - first_page); }
  PageRange InSpace(PageRange pages) const {
    return {first_page + (pages.first - PageNumber(0)), first_page + (pages.last - PageNumber(0))};
  }
};

// A resource.
class AllocationTable {
 public:
  static constexpr std::size_t kMost = 1 << 16;

  AllocationTable() : entries_(new Entry[kMost]) {}

  // Null: the page is not allocated.
  const Allocation* At(PageNumber page) const;

  // By address.
  std::span<const std::unique_ptr<const Allocation>> all() const { return all_; }
  // The same without those that end at the page or before.
  std::span<const std::unique_ptr<const Allocation>> From(PageNumber page) const;
  // The first of so many pages before `end` that follow each other and are not allocated.
  std::optional<PageNumber> FindRoom(PageCount pages, PageNumber end) const;
  // Preconditions: fewer than kMost; its pages are not allocated.
  const Allocation* Insert(std::unique_ptr<const Allocation> allocation);
  // The allocation lives until the next Remove: a thread that has just found it does no harm.
  void Remove(const Allocation& allocation);

 private:
  struct Entry {
    std::atomic<std::uint64_t> first_page;
    std::atomic<const Allocation*> allocation;
  };

  const Allocation* Search(PageNumber page) const;
  void Publish(std::size_t from);

  std::vector<std::unique_ptr<const Allocation>> all_;
  std::unique_ptr<const Allocation> removed_;
  const std::unique_ptr<Entry[]> entries_;  // of kMost; the first count_ are as all_
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint32_t> version_{0};  // odd: entries and count_ are changing
};

}  // namespace dsm
