// Fetches whose caller went on: which pages each is of, and whether they have arrived. The thread
// that needs one of the pages first takes them over.
//
// Threads: any; TryTake and Await in signal handlers too. An arrival takes no lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "dsm/layout/pages.h"
#include "dsm/page/access.h"
#include "dsm/threads/waiter.h"
#include "llcl/completion.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// A resource.
class PendingFetches {
 public:
  static constexpr std::size_t kMost = 256;  // fetches

  // A value: what a fetch is of.
  struct Fetch {
    PageRange pages;
    Access access = Access::kRead;
  };
  PendingFetches() {
    for (Ending& ending : endings_) ending.fetches = this;
  }
  PendingFetches(const PendingFetches&) = delete;
  PendingFetches& operator=(const PendingFetches&) = delete;

  // A slot for the fetch, or kMost where all are used, or where more than `most` pages would be
  // pending.
  std::size_t TryAdd(const Fetch& fetch, PageCount most);
  // Notified of the fetch's end.
  llcl::Completion completion(std::size_t slot) { return {&OnArrival, &endings_[slot]}; }
  // The fetch was not begun.
  void Remove(std::size_t slot);

  enum class Found {
    kNone,      // the page is not pending
    kUnderWay,  // it has not arrived
    kArrived,   // it has; take(pages) was called, and the fetch is no longer pending
    kLost,      // it will not arrive
  };
  // Looks for the fetch that the page belongs to, which is then in `fetch`. `take` is called under
  // the lock: it makes the pages the caller's before another thread finds none here.
  template <typename Take>
  Found TryTake(PageNumber page, Fetch& fetch, Take take) {
    const topo::Lock lock(lock_);
    std::size_t slot = 0;
    while (slot != kMost && !fetches_[slot].pages.Contains(page)) ++slot;
    if (slot == kMost) return Found::kNone;
    const int outcome = endings_[slot].outcome.load(std::memory_order_acquire);
    if (outcome == 0) return Found::kUnderWay;
    fetch = fetches_[slot];
    if (outcome != 1 + static_cast<int>(llcl::Outcome::kDone)) return Found::kLost;
    pages_ -= fetch.pages.count();
    fetches_[slot].pages = {};
    take(fetch.pages);
    return Found::kArrived;
  }
  // The pages of the fetch in a slot; none where it is free. The second: also none where they have
  // not arrived.
  PageRange PagesIn(std::size_t slot);
  PageRange ArrivedIn(std::size_t slot);

  // Calls try_again() until it returns true, and waits between for an arrival or NotifyAll.
  template <typename TryAgain>
  void Await(Waiter waiter, TryAgain try_again) {
    while (true) {
      const std::uint32_t before = arrivals_.Load(std::memory_order_acquire);
      if (try_again()) return;
      waiter.Pause([&] { arrivals_.WaitWhile(before); });
    }
  }
  void NotifyAll() {
    arrivals_.FetchAdd(1, std::memory_order_release);
    arrivals_.WakeAll();
  }

 private:
  struct Ending {
    PendingFetches* fetches = nullptr;
    std::atomic<int> outcome{0};  // 0, or one more than llcl's
  };
  static void OnArrival(void* ending, llcl::Outcome outcome);

  topo::SpinLock lock_;
  std::array<Fetch, kMost> fetches_ ABSL_GUARDED_BY(lock_);  // by slot; no pages: it is free
  PageCount pages_ ABSL_GUARDED_BY(lock_);                   // of all fetches
  std::array<Ending, kMost> endings_;                        // by slot
  topo::SpinningAtomic<std::uint32_t> arrivals_{0};          // raised at each
};

}  // namespace dsm
