// A set of pages: a mark says that a page is in it, and a list has all that are. To remove a page
// clears its mark; its entry in the list stays, and serves again when the page comes back, until
// such entries are the most. So each call costs as many steps as it has pages, on average.
//
// Threads: one at a time, in signal handlers too: Add takes no memory after Open. Any thread may
//   read the mark, and clear it where the owner of the set says so.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "dsm/cache/page_marks.h"
#include "dsm/engine/page_array.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A resource; the marks outlive it.
class PageSet {
 public:
  // `in`: the mark of a page in the set; `entry`: of a page that is in the list.
  PageSet(PageMarks& marks, PageMark in, PageMark entry) : marks_(marks), in_(in), entry_(entry) {}
  // Before any other member.
  absl::Status Open(PageCount pages) {
    auto entries = PageArray<PageNumber>::Make(pages);
    if (entries.ok()) entries_ = *std::move(entries);
    return entries.status();
  }

  void Add(PageNumber page) {
    if (marks_.Is(page, in_)) return;
    if (!marks_.Is(page, entry_)) {
      entries_[PageNumber(0) + end_] = page;
      end_ += PageCount(1);
    } else if (removed_ > PageCount(0)) {
      removed_ -= PageCount(1);
    }
    marks_.Set(page, in_ | entry_);
  }
  void Remove(PageNumber page) {
    if (!marks_.Is(page, in_)) return;
    marks_.Clear(page, in_);
    removed_ += PageCount(1);
    if (removed_.value() > kLeastRemoved + end_.value() / 2) Sweep();
  }
  // As many pages at most.
  PageCount most() const { return end_; }
  // In no order.
  std::vector<PageNumber> Members() {
    Sweep();
    return {&entries_[PageNumber(0)], &entries_[PageNumber(0) + end_]};
  }
  std::vector<PageNumber> TakeAll() {
    std::vector<PageNumber> pages = Members();
    for (const PageNumber page : pages) marks_.Clear(page, in_ | entry_);
    end_ = PageCount(0);
    return pages;
  }

 private:
  static constexpr std::uint64_t kLeastRemoved = 64;

  // Removes the entries of pages that are not in the set.
  void Sweep() {
    PageCount kept;
    for (const PageNumber page : PageRange{PageNumber(0), PageNumber(0) + end_}) {
      const PageNumber member = entries_[page];
      if (marks_.Is(member, in_)) {
        entries_[PageNumber(0) + kept] = member;
        kept += PageCount(1);
      } else {
        marks_.Clear(member, entry_);
      }
    }
    end_ = kept;
    removed_ = PageCount(0);
  }

  PageMarks& marks_;
  const PageMark in_, entry_;
  PageArray<PageNumber> entries_;  // pages marked `entry`, each once
  PageCount end_;                  // of them
  PageCount removed_;              // of them, are not in the set: so many at least
};

}  // namespace dsm
