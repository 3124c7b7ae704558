#include "dsm/cache/pending_fetches.h"

namespace dsm {

std::size_t PendingFetches::TryAdd(const Fetch& fetch, PageCount most) {
  const topo::Lock lock(lock_);
  if (pages_ + fetch.pages.count() > most) return kMost;
  for (std::size_t slot = 0; slot < kMost; ++slot) {
    if (!fetches_[slot].pages.empty()) continue;
    pages_ += fetch.pages.count();
    fetches_[slot] = fetch;
    endings_[slot].outcome.store(0, std::memory_order_relaxed);
    return slot;
  }
  return kMost;
}

void PendingFetches::Remove(std::size_t slot) {
  const topo::Lock lock(lock_);
  pages_ -= fetches_[slot].pages.count();
  fetches_[slot].pages = {};
}

PageRange PendingFetches::PagesIn(std::size_t slot) {
  const topo::Lock lock(lock_);
  return fetches_[slot].pages;
}

PageRange PendingFetches::ArrivedIn(std::size_t slot) {
  const topo::Lock lock(lock_);
  const bool has_ended = endings_[slot].outcome.load(std::memory_order_acquire) != 0;
  return has_ended ? fetches_[slot].pages : PageRange();
}

void PendingFetches::OnArrival(void* ending, llcl::Outcome outcome) {
  auto& ended = *static_cast<Ending*>(ending);
  PendingFetches& fetches = *ended.fetches;
  ended.outcome.store(1 + static_cast<int>(outcome), std::memory_order_release);
  fetches.NotifyAll();
}

}  // namespace dsm
