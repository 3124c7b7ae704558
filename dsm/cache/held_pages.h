// The pages that have copies here or are to have them soon: a barrier looks at these and no others.
//
// Threads: any; Add in signal handlers too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "dsm/cache/page_marks.h"
#include "dsm/engine/page_array.h"
#include "dsm/layout/pages.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"

namespace dsm {

// A resource; the marks outlive it.
class HeldPages {
 public:
  explicit HeldPages(PageMarks& marks) : marks_(marks) {}
  // Before any other member.
  absl::Status Open(PageCount pages);

  // They are new, too. Before they are asked for, so that a thread that drops all copies waits for
  // them.
  void Add(PageRange pages);
  // Ascending.
  std::vector<PageNumber> All();
  // Those that were added since it was called last, and not set old.
  std::vector<PageNumber> TakeNew();
  bool IsNew(PageNumber page) const { return marks_.Is(page, kNew); }
  void SetOld(PageNumber page) { marks_.Clear(page, kNew); }
  // Forgets those of which is_absent(page) is true. A thread that fetches one again adds it again.
  template <typename IsAbsent>
  void Forget(IsAbsent is_absent) {
    const topo::Lock lock(lock_);
    PageNumber* const first = &pages_[PageNumber(0)];
    PageNumber* const last = std::remove_if(first, &pages_[end_], [&](PageNumber page) {
      if (!is_absent(page)) return false;
      marks_.Clear(page, kListed);
      return true;
    });
    end_ = PageNumber(static_cast<std::uint64_t>(last - first));
  }

 private:
  PageMarks& marks_;
  topo::SpinLock lock_;
  // Marked kListed, each once: the elements before end_.
  PageArray<PageNumber> pages_ ABSL_GUARDED_BY(lock_);
  PageNumber end_ ABSL_GUARDED_BY(lock_);
};

}  // namespace dsm
