// The pages that have copies here or are to have them soon: a barrier looks at these and no others.
//
// Threads: any; Add in signal handlers too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "dsm/cache/page_marks.h"
#include "dsm/cache/page_set.h"
#include "dsm/layout/pages.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"

namespace dsm {

// A resource; the marks outlive it.
class HeldPages {
 public:
  explicit HeldPages(PageMarks& marks)
      : marks_(marks), held_(marks, kListed, kListedEntry), new_(marks, kNew, kNewEntry) {}
  // Before any other member.
  absl::Status Open(PageCount pages);

  // They are new, too. Before they are asked for, so that a thread that drops all copies waits for
  // them.
  void Add(PageRange pages);
  // Ascending.
  std::vector<PageNumber> All();
  // The held pages of the range, ascending. Takes time for the range or for all, the smaller of
  // the two.
  std::vector<PageNumber> In(PageRange pages);
  // Those that were added since it was called last, and not set old; ascending.
  std::vector<PageNumber> TakeNew();
  bool IsNew(PageNumber page) const { return marks_.Is(page, kNew); }
  void SetOld(PageNumber page) { marks_.Clear(page, kNew); }
  // Forgets those of the list of which is_absent(page) is true. A thread that fetches one again
  // adds it again.
  template <typename IsAbsent>
  void Forget(std::span<const PageNumber> pages, IsAbsent is_absent) {
    const topo::Lock lock(lock_);
    for (const PageNumber page : pages) {
      if (is_absent(page)) held_.Remove(page);
    }
  }

 private:
  PageMarks& marks_;
  topo::SpinLock lock_;
  PageSet held_ ABSL_GUARDED_BY(lock_);
  PageSet new_ ABSL_GUARDED_BY(lock_);
};

}  // namespace dsm
