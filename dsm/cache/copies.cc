#include "dsm/cache/copies.h"

#include <algorithm>
#include <utility>

#include "dsm/lock/lock_order.h"

namespace dsm {
namespace {

bool IsHere(PageState state) { return state == PageState::kClean || state == PageState::kDirty; }

}  // namespace

absl::StatusOr<std::unique_ptr<Copies>> Copies::Make(Engine& engine, PageMemory memory,
                                                     PageSource& source,
                                                     const CopyOptions& options) {
  const PageMapper mapper(engine, memory.page_size(), source);
  std::unique_ptr<Copies> copies(new Copies(mapper, memory, source, options));
  auto pages = PageArray<Page>::Make(memory.pages());
  if (!pages.ok()) return pages.status();
  copies->pages_ = *std::move(pages);
  absl::Status status = copies->marks_.Open(memory.pages());
  status.Update(copies->held_.Open(memory.pages()));
  status.Update(copies->frames_.Open(options.most_pages));
  status.Update(copies->twins_.Open(memory));
  if (!status.ok()) return status;
  return copies;
}

void Copies::Count(PageRange pages, std::uint32_t PageHeat::*what) {
  if (heat_ == nullptr) return;
  for (const PageNumber page : pages) heat_->Count(page, what);
}

void Copies::OnFault(PageNumber page, Access access) {
  counters_.Add(&CopyCounts::faults, 1);
  Count(PageRange::Only(page), &PageHeat::faults);
  switch (Begin(page, access)) {
    case FaultAction::kFetch:
      BringAlone(page, access);
      break;
    case FaultAction::kAwait:
      AwaitArrival(page);
      break;
    case FaultAction::kArm:
      Arm(page, Access::kWrite);
      break;
    case FaultAction::kRetry:
      break;
  }
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
    switch (Begin(page, access)) {
      case FaultAction::kFetch:
        BringAlone(page, access);
        break;
      case FaultAction::kAwait:
        AwaitArrival(page);
        continue;
      case FaultAction::kArm:
        Arm(page, access);
        break;
      case FaultAction::kRetry:
        break;
    }
    ++page;
  }
}

// Precondition: this thread has made the page kFetching.
void Copies::BringAlone(PageNumber page, Access access) {
  frames_.Reserve(page, waiter_);
  Bring(PageRange::Only(page), access);
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

// Precondition: this thread has made the pages kLeaving from kDirty.
void Copies::Send(std::span<const PageRange> written, ChangeSink& sink) {
  for (const PageRange& range : written) {
    mapper_.Protect(range);
    for (PageNumber page = range.first; page < range.last;) {
      PageRange whole = {page, page};
      while (whole.last < range.last && twins_.IsOverwritten(whole.last)) ++whole.last;
      if (!whole.empty()) {
        sink.SendAll(whole);
      } else {
        sink.Send(page, twins_.Of(page), memory_.BytesOf(page));
        ++whole.last;
      }
      page = whole.last;
    }
  }
}

void Copies::FinishFaults(std::span<const PageNumber> pages) {
  lock_order::RequireNone("waits for pages");
  const auto pause = [this](auto sleep) { waiter_.Pause(sleep); };
  for (const PageNumber page : pages) {
    while (pages_[page].WaitUntilItLasts(pause) == PageState::kPending) AwaitArrival(page);
  }
}

void Copies::SendChanges(std::span<const PageNumber> pages, ChangeSink& sink) {
  std::vector<PageNumber> written;
  for (const PageNumber page : pages) {
    if (pages_[page].TryLeave(PageState::kDirty)) written.push_back(page);
  }
  if (written.empty()) return;
  const std::vector<PageRange> ranges = AsRanges(written);
  Send(ranges, sink);
  sink.Settle();
  for (const PageRange& range : ranges) {
    // Before others can write to them, and keep new ones.
    twins_.Forget(range);
    for (const PageNumber page : range) pages_[page].Done(PageState::kClean);
  }
}

std::vector<PageNumber> Copies::Drop(std::span<const PageNumber> pages, ChangeSink* sink) {
  std::vector<PageNumber> leaving, written, in_faults;
  for (const PageNumber page : pages) {
    const PageState state = pages_[page].state();
    if (state == PageState::kAbsent) continue;
    if (!IsHere(state) || !pages_[page].TryLeave(state)) {
      in_faults.push_back(page);
      continue;
    }
    leaving.push_back(page);
    if (state == PageState::kDirty) written.push_back(page);
  }
  const std::vector<PageRange> ranges = AsRanges(written);
  if (sink != nullptr && !written.empty()) {
    Send(ranges, *sink);
    // A thread that fetches one again must find there what was written here.
    sink->Settle();
  }
  for (const PageRange& range : ranges) twins_.Forget(range);
  for (const PageRange& range : AsRanges(leaving)) {
    mapper_.Invalidate(range);
    for (const PageNumber page : range) {
      held_.SetOld(page);
      pages_[page].Done(PageState::kAbsent);
    }
  }
  counters_.Add(&CopyCounts::invalidated, leaving.size());
  held_.Forget([&](PageNumber page) { return pages_[page].state() == PageState::kAbsent; });
  return in_faults;
}

}  // namespace dsm
