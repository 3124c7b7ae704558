// How a page that a thread touches comes: it is fetched from its home, awaited, or made writable.
#include <algorithm>

#include "dsm/cache/copies.h"

namespace dsm {

void Copies::OnFault(PageNumber page, Access access) {
  counters_.Add(&CopyCounts::faults, 1);
  Count(PageRange::Only(page), &PageHeat::faults);
  if (Act(page, access) == FaultAction::kMend) Mend(page);
}

void Copies::Mend(PageNumber page) {
  for (const PageState state : {PageState::kClean, PageState::kDirty}) {
    if (!pages_[page].TryMend(state)) continue;
    mapper_.InstallAgain(PageRange::Only(page), state == PageState::kDirty
                                                    ? PageMapper::Mode::kWritable
                                                    : PageMapper::Mode::kReadOnly);
    return pages_[page].Done(state);
  }
}

// Does what the page's state asks of a thread that touches it, and returns what that was.
FaultAction Copies::Act(PageNumber page, Access access) {
  const FaultAction action = Begin(page, access);
  switch (action) {
    case FaultAction::kFetch:
      BringTouched(page, access);
      break;
    case FaultAction::kAwait:
      AwaitArrival(page);
      break;
    case FaultAction::kArm:
      Arm(page, access);
      break;
    case FaultAction::kMend:
      break;
  }
  return action;
}

void Copies::Preload(PageRange pages, Access access) {
  const PageCount most = std::max(PageCount(1), frames_.most_at_once());
  for (PageNumber page = pages.first; page < pages.last;) {
    PageRange run = {page, page};
    while (run.last < pages.last && run.count() < most && pages_[run.last].TryFetch()) ++run.last;
    if (!run.empty()) {
      // A thread that waits for a frame holds none.
      if (!frames_.TryReserve(run)) {
        const PageRange others = {run.first + PageCount(1), run.last};
        for (const PageNumber each : others) pages_[each].Done(PageState::kAbsent);
        run = PageRange::Only(run.first);
        frames_.Reserve(run.first, waiter_);
      }
      Bring(run, access);
      page = run.last;
      continue;
    }
    // It is here, or on its way.
    if (Act(page, access) != FaultAction::kAwait) ++page;
  }
}

// Precondition: this thread has made the page kFetching.
void Copies::BringTouched(PageNumber page, Access access) {
  frames_.Reserve(page, waiter_);
  const bool reads_ahead = readahead_ > PageCount(0) && access == Access::kRead;
  const PageRange behind = reads_ahead ? TakeReadahead(page) : PageRange();
  Bring({page, std::max(page + PageCount(1), behind.last)}, access);
}

// The absent pages behind it that come along. This thread has made them kFetching then, and each
// has a frame: none where there are too few, as a thread that waits for one holds no page.
PageRange Copies::TakeReadahead(PageNumber page) {
  const PageNumber next = page + PageCount(1);
  PageRange behind = {next, next};
  const PageNumber end = std::min(source_.EndOfRun(page), next + readahead_);
  while (behind.last < end && pages_[behind.last].TryFetch()) ++behind.last;
  if (!behind.empty() && !frames_.TryReserve(behind)) {
    for (const PageNumber each : behind) pages_[each].Done(PageState::kAbsent);
    return {next, next};
  }
  counters_.Add(&CopyCounts::read_ahead, behind.count());
  return behind;
}

// Precondition: this thread has made the pages kFetching, and each has a frame.
void Copies::Bring(PageRange pages, Access access) {
  held_.Add(pages);
  if (access == Access::kOverwrite) {
    // There must be memory to install.
    constexpr std::size_t kSystemPage = 4096;
    const std::span<std::byte> bytes = memory_.BytesOf(pages);
    for (std::size_t at = 0; at < bytes.size(); at += kSystemPage) {
      *const_cast<volatile std::byte*>(&bytes[at]) = std::byte{0};
    }
    counters_.Add(&CopyCounts::overwritten, pages.count());
  } else {
    source_.Fetch(pages);
    counters_.Add(&CopyCounts::pages_fetched, pages.count());
    counters_.Add(&CopyCounts::fetches, 1);
  }
  Arrive(pages, access);
}

// Precondition: this thread has made the pages kFetching, and their bytes are in memory.
void Copies::Arrive(PageRange pages, Access access) {
  const bool writes = access != Access::kRead;
  if (access != Access::kOverwrite) Count(pages, &PageHeat::fetched);
  if (writes) Count(pages, &PageHeat::written);
  if (access == Access::kWrite) {
    counters_.Add(&CopyCounts::twins, pages.count());
    twins_.Keep(pages);
  }
  if (access == Access::kOverwrite) {
    for (const PageNumber page : pages) twins_.SetOverwritten(page);
  }
  mapper_.Install(pages, writes ? PageMapper::Mode::kWritable : PageMapper::Mode::kReadOnly);
  for (const PageNumber page : pages) {
    pages_[page].Done(writes ? PageState::kDirty : PageState::kClean);
  }
}

// Precondition: this thread has made the page kArming.
void Copies::Arm(PageNumber page, Access access) {
  const PageRange only = PageRange::Only(page);
  Count(only, &PageHeat::written);
  if (access == Access::kOverwrite) {
    twins_.SetOverwritten(page);
    counters_.Add(&CopyCounts::overwritten, 1);
  } else {
    counters_.Add(&CopyCounts::twins, 1);
    twins_.Keep(only);
  }
  mapper_.AllowWrites(only);
  pages_[page].Done(PageState::kDirty);
}

}  // namespace dsm
