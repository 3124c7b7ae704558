// The pages that are at home on this rank: changes of other ranks are applied to them, and each
// page's version says when it was changed, for ranks that hold copies of it to read
// (page_version.h). Writes of this rank itself are tracked for that (write_tracker.h).
//
// Threads: OnFault by any, in signal handlers too; Apply and AddHeld by any; Flush by one at a
//   time, when no change comes any more that belongs to the epoch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "dsm/engine/page_array.h"
#include "dsm/engine/page_mapper.h"
#include "dsm/home/page_version.h"
#include "dsm/home/races.h"
#include "dsm/home/write_tracker.h"
#include "dsm/layout/pages.h"
#include "dsm/page/access.h"
#include "dsm/page/heat.h"
#include "dsm/threads/lock_order.h"
#include "topo/mutex.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// A value; counted since the beginning.
struct HomeCounts {
  std::uint64_t faults = 0;   // first writes to pages that are tracked
  std::uint64_t watched = 0;  // pages, each time that they are made read-only
  std::uint64_t stamped = 0;  // pages that count as written by their home, at flushes
};

// A change of a page that came from another rank. A value.
struct HomeChange {
  PageNumber page;
  int from = 0;
  std::uint64_t epoch = 0;
  ChangeOrder order = ChangeOrder::kUnordered;
  std::span<const std::byte> diff;  // empty: the page itself was written already
};

// A resource. What it is made of outlives it.
class HomePages {
 public:
  // `versions`: one for each page of the space, in memory that other ranks read. `races`: looks for
  // races, or null.
  static absl::StatusOr<std::unique_ptr<HomePages>> Make(int rank, const PageMapper& mapper,
                                                         PageMemory memory,
                                                         std::span<std::uint64_t> versions,
                                                         Heat& heat,
                                                         std::unique_ptr<RaceFinder> races);

  // New memory at home, before it is used.
  void Add(PageRange pages);
  // It is memory at home no more. No thread uses it, and no change of it is on its way.
  void Remove(PageRange pages);
  // False: nothing here made the access fault.
  bool OnFault(PageNumber page, Access access);

  // A page whose memory is mapped as a copy's becomes memory at home, where races are not looked
  // for. In signal handlers too.
  void Open(PageNumber page);
  // An access to it faulted: another thread has just opened it, it is tracked, or the system has
  // taken its mapping. In signal handlers too.
  void OnFaultOpened(PageNumber page, Access access);
  // Instead of Remove: touching them faults again.
  void Close(PageRange pages);

  // False: the difference is none.
  [[nodiscard]] bool Apply(const HomeChange& change);
  // Another rank has fetched them since the last flush, and has them.
  void AddHeld(PageRange pages);
  // The epoch ends: pages that this rank has written in it, or may have, get its version. Returns
  // the races that were found in it.
  std::vector<Race> Flush(std::uint64_t epoch);

  HomeCounts counts() const {
    return {.faults = faults_.load(), .watched = tracked_.load(), .stamped = versioned_.load()};
  }

 private:
  using Writes = BasicWriteTracker<topo::SpinningAtomic>;

  HomePages(int rank, const PageMapper& mapper, PageMemory memory,
            std::span<std::uint64_t> versions, Heat& heat, std::unique_ptr<RaceFinder> races)
      : rank_(rank),
        mapper_(mapper),
        memory_(memory),
        versions_(versions),
        heat_(heat),
        races_(std::move(races)) {}
  void LetWrite(PageNumber page);
  void Change(PageNumber page, PageVersion change);
  bool IsStillHeld(PageNumber page, std::uint64_t epoch, std::vector<PageNumber>& to_track)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int rank_;
  const PageMapper mapper_;
  const PageMemory memory_;
  const std::span<std::uint64_t> versions_;
  Heat& heat_;
  const std::unique_ptr<RaceFinder> races_;
  PageArray<Writes> writes_;
  OrderedMutex<LockLevel::kHome> mutex_;
  std::vector<PageNumber> held_ ABSL_GUARDED_BY(mutex_);  // other ranks may have copies of them
  PageArray<bool> is_held_ ABSL_GUARDED_BY(mutex_);       // is it in held_?
  std::atomic<std::uint64_t> faults_{0}, tracked_{0}, versioned_{0};
};

}  // namespace dsm
