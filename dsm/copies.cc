#include "dsm/copies.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace dsm {
namespace {

// Held by threads that touch no shared page meanwhile, so also by signal handlers.
class Lock {
 public:
  explicit Lock(topo::Atomic<int>& held) : held_(held) {
    while (held_.Exchange(1, std::memory_order_acquire) != 0) held_.WaitWhile(1);
  }
  ~Lock() { held_.Store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  topo::Atomic<int>& held_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Copies>> Copies::Make(Engine& engine, std::span<std::byte> memory,
                                                     std::uint64_t page_bytes, PageSource& source) {
  std::unique_ptr<Copies> copies(new Copies(engine, memory, page_bytes, source));
  const std::uint64_t pages = memory.size() / page_bytes;
  for (const auto& [what, bytes] : {std::pair(&copies->states_, pages * sizeof(Page)),
                                    std::pair(&copies->twins_, memory.size()),
                                    std::pair(&copies->held_, 2 * pages * sizeof(std::uint64_t))}) {
    auto reserved = Reserved::Zeros(bytes);
    if (!reserved.ok()) return reserved.status();
    *what = *std::move(reserved);
  }
  copies->pages_ = copies->states_.as<Page>();
  return copies;
}

void Copies::OnFault(std::uint64_t page, bool writes) {
  faults_.fetch_add(1, std::memory_order_relaxed);
  const PageRange one = {page, page + 1};
  switch (pages_[page].Begin(writes)) {
    case Turn::kFetch:
      FetchAll(one, writes);
      break;
    case Turn::kArm:
      KeepTwins(one);
      Require(engine_.AllowWrites(page * page_bytes_, page_bytes_), "let write", one);
      pages_[page].Done(PageState::kDirty);
      break;
    case Turn::kRetry:
      break;
  }
}

void Copies::Preload(PageRange pages, bool writes) {
  for (std::uint64_t page = pages.first; page < pages.last;) {
    PageRange run = {page, page};
    while (run.last < pages.last && pages_[run.last].TryFetch()) ++run.last;
    if (!run.empty()) FetchAll(run, writes);
    page = run.last;
    // The one that ended the run is here, or on its way.
    if (page == pages.last) break;
    const PageState state = pages_[page].WaitUntilItLasts();
    if (state == PageState::kAbsent) continue;
    if (writes && pages_[page].Begin(true) == Turn::kArm) {
      const PageRange one = {page, page + 1};
      KeepTwins(one);
      Require(engine_.AllowWrites(page * page_bytes_, page_bytes_), "let write", one);
      pages_[page].Done(PageState::kDirty);
    }
    ++page;
  }
}

// Precondition: this thread has made all of them kFetching.
void Copies::FetchAll(PageRange pages, bool writes) {
  source_.Fetch(pages);
  pages_fetched_.fetch_add(pages.last - pages.first, std::memory_order_relaxed);
  fetches_.fetch_add(1, std::memory_order_relaxed);
  if (writes) KeepTwins(pages);
  AddHeld(pages);
  Require(
      engine_.Install(pages.first * page_bytes_, (pages.last - pages.first) * page_bytes_, writes),
      "map", pages);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    pages_[page].Done(writes ? PageState::kDirty : PageState::kClean);
  }
}

void Copies::KeepTwins(PageRange pages) {
  twins_kept_.fetch_add(pages.last - pages.first, std::memory_order_relaxed);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    std::memcpy(TwinOf(page).data(), BytesOf(page).data(), page_bytes_);
  }
}

void Copies::AddHeld(PageRange pages) {
  const Lock lock(lock_);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    held_.as<std::uint64_t>()[held_count_++] = page;
  }
}

std::vector<std::uint64_t> Copies::Held() {
  std::vector<std::uint64_t> held;
  {
    const Lock lock(lock_);
    const auto* const first = held_.as<std::uint64_t>();
    held.assign(first, first + held_count_);
  }
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  return held;
}

void Copies::SendChanges(const Send& send) {
  std::vector<std::uint64_t> written;
  for (const std::uint64_t page : Held()) {
    if (pages_[page].TryLeave(PageState::kDirty)) written.push_back(page);
  }
  for (const PageRange& range : AsRanges(written)) {
    Require(engine_.Protect(range.first * page_bytes_, (range.last - range.first) * page_bytes_),
            "protect", range);
    for (std::uint64_t page = range.first; page < range.last; ++page) {
      send(page, TwinOf(page), BytesOf(page));
    }
    // Before others can write to them, and keep new ones.
    madvise(TwinOf(range.first).data(), (range.last - range.first) * page_bytes_, MADV_DONTNEED);
    for (std::uint64_t page = range.first; page < range.last; ++page) {
      pages_[page].Done(PageState::kClean);
    }
  }
}

void Copies::Invalidate(std::span<const std::uint64_t> pages, const Send& send) {
  std::vector<std::uint64_t> leaving;
  for (const std::uint64_t page : pages) {
    const PageState state = pages_[page].WaitUntilItLasts();
    if (state == PageState::kAbsent || !pages_[page].TryLeave(state)) continue;
    leaving.push_back(page);
    if (state == PageState::kClean || !send) continue;
    // Written by another thread meanwhile.
    Require(engine_.Protect(page * page_bytes_, page_bytes_), "protect", {page, page + 1});
    send(page, TwinOf(page), BytesOf(page));
  }
  for (const PageRange& range : AsRanges(leaving)) {
    Require(engine_.Invalidate(range.first * page_bytes_, (range.last - range.first) * page_bytes_),
            "invalidate", range);
    for (std::uint64_t page = range.first; page < range.last; ++page) {
      pages_[page].Done(PageState::kAbsent);
    }
  }
  invalidated_.fetch_add(leaving.size(), std::memory_order_relaxed);
  const Lock lock(lock_);
  auto* const first = held_.as<std::uint64_t>();
  auto* last = std::remove_if(first, first + held_count_, [&](std::uint64_t page) {
    return pages_[page].state() == PageState::kAbsent;
  });
  // What came back meanwhile is there twice.
  std::sort(first, last);
  held_count_ = static_cast<std::uint64_t>(std::unique(first, last) - first);
}

CopyCounts Copies::counts() const {
  return {.faults = faults_.load(),
          .pages_fetched = pages_fetched_.load(),
          .fetches = fetches_.load(),
          .twins = twins_kept_.load(),
          .invalidated = invalidated_.load()};
}

}  // namespace dsm
