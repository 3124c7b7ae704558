// Pages that come while who asked for them goes on: whoever needs one first makes it a copy.
#include <algorithm>

#include "dsm/cache/copies.h"
#include "dsm/spin_lock.h"

namespace dsm {

std::uint64_t Copies::StartPreload(PageRange pages, bool writes) {
  const std::uint64_t most = std::max<std::uint64_t>(1, PageSource::kMostAtOnce / page_bytes_);
  const std::uint64_t most_coming = frames_.is_bounded() ? frames_.most() / 2 : ~std::uint64_t{0};
  for (std::uint64_t page = pages.first; page < pages.last;) {
    PageRange run = {page, page};
    while (run.last < pages.last && run.last - run.first < std::min(most, most_coming) &&
           pages_[run.last].TryLetCome()) {
      ++run.last;
    }
    if (run.empty()) {
      ++page;
      continue;
    }
    Coming* mine = nullptr;
    {
      const SpinLock lock(lock_);
      for (Coming& one : coming_) {
        if (!one.is_used) mine = &one;
      }
      // The rest of the memory is for what is touched meanwhile.
      if (coming_pages_ + (run.last - run.first) > most_coming) mine = nullptr;
      if (mine != nullptr) {
        coming_pages_ += run.last - run.first;
        mine->is_used = true;
        mine->pages = run;
        mine->writes = writes;
        mine->outcome.store(0, std::memory_order_relaxed);
      }
    }
    const auto on_arrival = [](void* data, llcl::Outcome outcome) {
      auto& coming = *static_cast<Coming*>(data);
      Copies& copies = *coming.copies;
      coming.outcome.store(1 + static_cast<int>(outcome), std::memory_order_release);
      copies.arrived_.FetchAdd(1, std::memory_order_release);
      copies.arrived_.WakeAll();
    };
    AddHeld(run);
    if (mine != nullptr && TryReserve(run) && source_.TryFetch(run, {on_arrival, mine})) {
      pages_fetched_.fetch_add(run.last - run.first, std::memory_order_relaxed);
      fetches_.fetch_add(1, std::memory_order_relaxed);
      page = run.last;
      continue;
    }
    // They are as they were, but for the memory that some have now.
    if (mine != nullptr) {
      const SpinLock lock(lock_);
      mine->is_used = false;
      coming_pages_ -= run.last - run.first;
    }
    for (page = run.first; page < run.last; ++page) (void)pages_[page].TryTake();
    PutBack(run);
    // Who waits for one of them looks again.
    arrived_.FetchAdd(1, std::memory_order_release);
    arrived_.WakeAll();
    return run.first;
  }
  return pages.last;
}

// Sees that it is no longer coming.
void Copies::Take(std::uint64_t page) {
  while (true) {
    const std::uint32_t before = arrived_.Load(std::memory_order_acquire);
    if (TryArrive(page)) return;
    Pause([&] { arrived_.WaitWhile(before); });
  }
}

// False: it is still on its way.
bool Copies::TryArrive(std::uint64_t page) {
  PageRange pages;
  bool writes = false;
  {
    const SpinLock lock(lock_);
    Coming* const found = std::find_if(coming_.begin(), coming_.end(), [&](const Coming& one) {
      return one.is_used && one.pages.first <= page && page < one.pages.last;
    });
    if (found == coming_.end()) return true;
    const int outcome = found->outcome.load(std::memory_order_acquire);
    if (outcome == 0) return false;
    pages = found->pages;
    writes = found->writes;
    if (outcome != 1 + static_cast<int>(llcl::Outcome::kDone)) source_.OnLost(pages);
    found->is_used = false;
    coming_pages_ -= pages.last - pages.first;
    for (std::uint64_t one = pages.first; one < pages.last; ++one) (void)pages_[one].TryTake();
  }
  Arrive(pages, writes ? Access::kWrite : Access::kRead);
  return true;
}

bool Copies::IsThere(PageRange pages) {
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    if (pages_[page].state() == PageState::kComing && !TryArrive(page)) return false;
  }
  return true;
}

void Copies::TakeArrived() {
  for (Coming& one : coming_) {
    PageRange pages;
    {
      const SpinLock lock(lock_);
      if (one.is_used && one.outcome.load(std::memory_order_acquire) != 0) pages = one.pages;
    }
    if (!pages.empty()) (void)TryArrive(pages.first);
  }
}

Copies::~Copies() {
  for (Coming& one : coming_) {
    PageRange pages;
    {
      const SpinLock lock(lock_);
      if (one.is_used) pages = one.pages;
    }
    if (!pages.empty()) Take(pages.first);
  }
}

}  // namespace dsm
