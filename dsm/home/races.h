// Finds bytes that two ranks have written between the same flush barriers: at their home, where all
// changes meet.
//
// Pages at home are treated as copies are: a first write keeps a twin. Bytes that came from another
// rank and bytes that were written here are then distinguished one by one. Changes under locks are
// not looked at. Two ranks that write the value that was there are not seen.
//
// Threads: OnWrite by any, in signal handlers; Apply by any; the rest by one at a time.
// Locks: a thread that holds a page (BasicPage) may take mutex_; none waits for a page while it
//   holds mutex_.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "dsm/engine/page_array.h"
#include "dsm/engine/page_mapper.h"
#include "dsm/engine/reserved.h"
#include "dsm/layout/pages.h"
#include "dsm/page/page.h"
#include "dsm/threads/lock_order.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// A value: bytes of the space that follow each other.
struct Race {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int one = 0, other = 0;  // ranks
  friend bool operator==(const Race&, const Race&) = default;
};

// Whether a change was made under a lock, which orders it with others between the same flushes.
enum class ChangeOrder { kUnordered, kLocked };

// A resource. What it is made of outlives it.
class RaceFinder {
 public:
  // `memory`: the other view of the engine's.
  static absl::StatusOr<std::unique_ptr<RaceFinder>> Make(int rank, const PageMapper& mapper,
                                                          PageMemory memory);

  // New memory at home; from now on OnWrite is called before it is written.
  void Watch(PageRange pages);
  // Memory at home no more. Since the last Flush nobody wrote to it.
  void Unwatch(PageRange pages) { pages_.Clear(pages); }
  // A write has faulted. False: the page is not watched.
  bool OnWrite(PageNumber page);
  // Applies what `from` has changed. False: it is no difference of a page.
  [[nodiscard]] bool Apply(PageNumber page, int from, ChangeOrder order,
                           std::span<const std::byte> diff);
  // The epoch ends, and all its changes are here. Returns what was found in it, ascending.
  std::vector<Race> Flush();

 private:
  using Page = BasicPage<topo::SpinningAtomic>;  // clean: watched; dirty: it has a twin

  RaceFinder(int rank, const PageMapper& mapper, PageMemory memory)
      : rank_(rank), mapper_(mapper), memory_(memory) {}
  std::size_t page_bytes() const { return memory_.page_size().bytes(); }
  PageState Hold(PageNumber page) ABSL_LOCKS_EXCLUDED(mutex_);
  void Compare(PageNumber page) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Add(PageNumber page, std::size_t byte, int one, int other)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<PageNumber> TakeWritten();

  const int rank_;
  const PageMapper mapper_;
  const PageMemory memory_;
  Reserved twin_memory_;
  PageMemory twins_;  // in twin_memory_
  PageArray<Page> pages_;
  topo::SpinLock written_lock_;
  // Pages with a twin, the first so many of the array.
  PageArray<PageNumber> written_ ABSL_GUARDED_BY(written_lock_);
  PageNumber written_end_ ABSL_GUARDED_BY(written_lock_);
  OrderedMutex<LockLevel::kRaces> mutex_;
  // By page and byte: one more than the rank that changed it in this epoch.
  std::unordered_map<std::uint64_t, std::vector<int>> writers_ ABSL_GUARDED_BY(mutex_);
  std::vector<Race> found_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dsm
