// The pages of other ranks that are here: fetched when they are touched or before, kept until they
// change elsewhere or their memory is needed, compared with what they were when they have been
// written.
//
// Its files: faulting.cc (how a page comes), prefetch.cc, eviction.cc, copies.cc (how copies go).
//
// Threads: OnFault, Preload, StartPreload, Evict* by any, the first in signal handlers too; the
//   rest by one at a time, while others may be in those.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/cache/copy_counts.h"
#include "dsm/cache/frame_pool.h"
#include "dsm/cache/held_pages.h"
#include "dsm/cache/page_marks.h"
#include "dsm/cache/page_source.h"
#include "dsm/cache/pending_fetches.h"
#include "dsm/cache/twins.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/page_array.h"
#include "dsm/engine/page_mapper.h"
#include "dsm/layout/pages.h"
#include "dsm/page/access.h"
#include "dsm/page/heat.h"
#include "dsm/page/page.h"
#include "dsm/threads/waiter.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// A value.
struct CopyOptions {
  PageCount most_pages;  // that have memory; zero: any number
  // Called again and again by a thread that waits for a page, in the signal handler, instead of
  // sleeping; may run other threads of the program's own.
  bool (*waiter)() = nullptr;
  PageCount readahead{};  // that come along with a page that is read, at most
  Heat* heat = nullptr;   // counts what happens to each page, if there is one
  // No copy is ever written: none has a twin, nor are there addresses for one.
  bool is_read_only = false;
};

// A resource. The engine and the source outlive it.
class Copies {
 public:
  // `memory`: the other view of the engine's, which outlives the copies.
  static absl::StatusOr<std::unique_ptr<Copies>> Make(Engine& engine, PageMemory memory,
                                                      PageSource& source,
                                                      const CopyOptions& options);
  // Waits for what is pending.
  ~Copies();

  // `access`: kRead or kWrite.
  void OnFault(PageNumber page, Access access);
  // Pages of one home: those that are absent come at once.
  void Preload(PageRange pages, Access access);
  // Preload while the caller goes on; a thread that touches a pending page waits for it. `access`:
  // kRead or kWrite. Returns the first page that found no room: it comes when it is touched.
  PageNumber StartPreload(PageRange pages, Access access);
  // Is no page of the range pending any more? A page whose bytes have arrived becomes a copy first.
  bool IsThere(PageRange pages);

  bool IsHere(PageNumber page) const { return IsHere(pages_[page].state()); }
  // Which pages have copies, or are pending.
  HeldPages& held() { return held_; }
  // Returns when faults in these pages that have begun are over, and those that are pending are
  // there: what other threads wrote to them before counts as written then. The caller must not keep
  // others from evicting (lock_order.h).
  void FinishFaults(std::span<const PageNumber> pages);
  // Sends the pages of the list that were written, and returns when `sink` has settled: the pages
  // are clean then. Until then writes to such a page wait and the page is not dropped, so a thread
  // that fetches it again finds at its home what was written here.
  void SendChanges(std::span<const PageNumber> pages, ChangeSink& sink);
  // The same, but pages that were written stay writable, for what is written again before the next
  // release: writes to them go on meanwhile. A page that was not written since the last release,
  // or was overwritten, becomes clean.
  void Release(std::span<const PageNumber> pages, ChangeSink& sink);
  // Makes the pages absent. What was written to them is sent, or lost without a sink. Does not wait
  // for faults: returns the pages that are in one, to be dropped after FinishFaults.
  [[nodiscard]] std::vector<PageNumber> Drop(std::span<const PageNumber> pages, ChangeSink* sink);

  // Their memory, where it is bounded: pages are pinned there.
  FramePool& frames() { return frames_; }
  // By the evictor. Frees the frames of some pages that need not be sent; of some that need.
  // Returns how many.
  PageCount EvictClean();
  PageCount EvictWritten(ChangeSink& sink);

  CopyCounts counts() const { return counters_.counts(); }

 private:
  using Page = BasicPage<topo::SpinningAtomic>;

  Copies(const PageMapper& mapper, PageMemory memory, PageSource& source,
         const CopyOptions& options)
      : mapper_(mapper),
        memory_(memory),
        source_(source),
        waiter_(options.waiter),
        readahead_(std::min(options.readahead, memory.pages())),
        heat_(options.heat) {}

  static bool IsHere(PageState state) {
    return state == PageState::kClean || state == PageState::kDirty;
  }
  FaultAction Begin(PageNumber page, Access access) {
    return pages_[page].Begin(access, [this](auto sleep) { waiter_.Pause(sleep); });
  }
  FaultAction Act(PageNumber page, Access access);
  // The page is mapped as its state says.
  void Mend(PageNumber page);
  void BringTouched(PageNumber page, Access access);
  PageRange TakeReadahead(PageNumber page);
  void Bring(PageRange pages, Access access);
  void Arrive(PageRange pages, Access access);
  void Arm(PageNumber page, Access access);
  void AwaitArrival(PageNumber page);
  bool TryArrive(PageNumber page);
  bool TryStartFetch(const PendingFetches::Fetch& fetch);
  std::vector<PageNumber> TakeWritten(std::span<const PageNumber> pages);
  void Send(std::span<const PageRange> written, ChangeSink& sink);
  void SendProtected(std::span<const PageRange> written, ChangeSink& sink);
  void BecomeClean(std::span<const PageRange> written);
  PageCount Evict(std::span<const PageNumber> pages);
  void Forget(std::span<const PageNumber> pages);
  void Count(PageRange pages, std::uint32_t PageHeat::*what);

  const PageMapper mapper_;
  const PageMemory memory_;
  PageSource& source_;
  const Waiter waiter_;
  const PageCount readahead_;
  Heat* const heat_;
  PageArray<Page> pages_;
  PageMarks marks_;
  HeldPages held_{marks_};
  FramePool frames_{marks_};
  Twins twins_{marks_};
  PendingFetches pending_;
  CopyCounters counters_;
};

}  // namespace dsm
