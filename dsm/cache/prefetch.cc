// Pages that come while the thread that asked for them goes on: the thread that needs one first
// makes it a copy.
#include <algorithm>
#include <utility>

#include "dsm/cache/copies.h"

namespace dsm {

PageNumber Copies::StartPreload(PageRange pages, Access access) {
  const PageCount most =
      std::min(memory_.page_size().PagesAtOnce(PageSource::kMostAtOnce), frames_.most_at_once());
  for (PageNumber page = pages.first; page < pages.last;) {
    PageRange run = {page, page};
    while (run.last < pages.last && run.count() < most && pages_[run.last].TryMakePending()) {
      ++run.last;
    }
    if (run.empty()) {
      ++page;
      continue;
    }
    if (!TryStartFetch({run, access})) return run.first;
    page = run.last;
  }
  return pages.last;
}

// Precondition: this thread has made the pages kPending. False: the pages are absent again, though
// some may have frames now.
bool Copies::TryStartFetch(const PendingFetches::Fetch& fetch) {
  const std::size_t slot = pending_.TryAdd(fetch, frames_.most_at_once());
  held_.Add(fetch.pages);
  const bool is_added = slot != PendingFetches::kMost;
  if (is_added && frames_.TryReserve(fetch.pages) &&
      source_.TryFetch(fetch.pages, pending_.completion(slot))) {
    counters_.Add(&CopyCounts::pages_fetched, fetch.pages.count());
    counters_.Add(&CopyCounts::fetches, 1);
    return true;
  }
  if (is_added) pending_.Remove(slot);
  for (const PageNumber page : fetch.pages) (void)pages_[page].TryTakeOver();
  for (const PageNumber page : fetch.pages) pages_[page].Done(PageState::kAbsent);
  // A thread that waits for one of them looks again.
  pending_.NotifyAll();
  return false;
}

// Returns when the page is not pending any more.
void Copies::AwaitArrival(PageNumber page) {
  pending_.Await(waiter_, [&] { return TryArrive(page); });
}

// False: it has not arrived yet.
bool Copies::TryArrive(PageNumber page) {
  PendingFetches::Fetch fetch;
  const auto take_over = [this](PageRange pages) {
    for (const PageNumber each : pages) (void)pages_[each].TryTakeOver();
  };
  switch (pending_.TryTake(page, fetch, take_over)) {
    case PendingFetches::Found::kNone:
      return true;
    case PendingFetches::Found::kUnderWay:
      return false;
    case PendingFetches::Found::kLost:
      source_.OnLost(fetch.pages);
      break;
    case PendingFetches::Found::kArrived:
      Arrive(fetch.pages, fetch.access);
      return true;
  }
  return true;
}

bool Copies::IsThere(PageRange pages) {
  for (const PageNumber page : pages) {
    if (pages_[page].state() == PageState::kPending && !TryArrive(page)) return false;
  }
  return true;
}

Copies::~Copies() {
  for (std::size_t slot = 0; slot < PendingFetches::kMost; ++slot) {
    const PageRange pages = pending_.PagesIn(slot);
    if (!pages.empty()) AwaitArrival(pages.first);
  }
}

}  // namespace dsm
