#include "dsm/cache/copies.h"

#include <algorithm>
#include <utility>

#include "dsm/threads/lock_order.h"

namespace dsm {

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
  if (!options.is_read_only) status.Update(copies->twins_.Open(memory));
  if (!status.ok()) return status;
  return copies;
}

void Copies::Count(PageRange pages, std::uint32_t PageHeat::*what) {
  if (heat_ == nullptr) return;
  for (const PageNumber page : pages) heat_->Count(page, what);
}

// Forgets the pages that are absent. A page that a thread fetches again is not absent from before
// it is held.
void Copies::Forget(std::span<const PageNumber> pages) {
  held_.Forget(pages,
               [this](PageNumber page) { return pages_[page].state() == PageState::kAbsent; });
}

// Precondition: this thread has made the pages kLeaving from kDirty, and nobody can write to them.
void Copies::Send(std::span<const PageRange> written, ChangeSink& sink) {
  for (const PageRange& range : written) {
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

// Returns the pages that were written, which this thread has made kLeaving.
std::vector<PageNumber> Copies::TakeWritten(std::span<const PageNumber> pages) {
  std::vector<PageNumber> written;
  for (const PageNumber page : pages) {
    if (pages_[page].TryLeaveWritten()) written.push_back(page);
  }
  return written;
}

// Precondition: as of TakeWritten.
void Copies::SendProtected(std::span<const PageRange> written, ChangeSink& sink) {
  for (const PageRange& range : written) mapper_.Protect(range);
  Send(written, sink);
}

// Precondition: SendProtected, and the sink has settled.
void Copies::BecomeClean(std::span<const PageRange> written) {
  for (const PageRange& range : written) {
    // Before others can write to them, and keep new ones.
    twins_.Forget(range);
    for (const PageNumber page : range) pages_[page].Done(PageState::kClean);
  }
}

void Copies::SendChanges(std::span<const PageNumber> pages, ChangeSink& sink) {
  const std::vector<PageNumber> written = TakeWritten(pages);
  if (written.empty()) return;
  const std::vector<PageRange> ranges = AsRanges(written);
  SendProtected(ranges, sink);
  sink.Settle();
  BecomeClean(ranges);
}

void Copies::Release(std::span<const PageNumber> pages, ChangeSink& sink) {
  std::vector<PageNumber> written = TakeWritten(pages);
  if (written.empty()) return;
  const auto stays = [&](PageNumber page) {
    return !twins_.IsOverwritten(page) &&
           sink.SendAndRenew(page, twins_.Of(page), memory_.BytesOf(page));
  };
  const auto rest = std::stable_partition(written.begin(), written.end(), stays);
  const std::vector<PageRange> cleaned = AsRanges({rest, written.end()});
  // Compared once more, as threads may have written to them before they were protected.
  SendProtected(cleaned, sink);
  sink.Settle();
  BecomeClean(cleaned);
  for (const PageNumber page : std::span(written.begin(), rest)) {
    pages_[page].Done(PageState::kDirty);
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
  const std::vector<PageRange> ranges = AsRanges(leaving), written_ranges = AsRanges(written);
  for (const PageRange& range : ranges) mapper_.Invalidate(range);
  if (sink != nullptr && !written.empty()) {
    Send(written_ranges, *sink);
    // A thread that fetches one again must find there what was written here.
    sink->Settle();
  }
  for (const PageRange& range : written_ranges) twins_.Forget(range);
  for (const PageRange& range : ranges) {
    for (const PageNumber page : range) {
      held_.SetOld(page);
      pages_[page].Done(PageState::kAbsent);
    }
  }
  counters_.Add(&CopyCounts::invalidated, leaving.size());
  Forget(pages);
  return in_faults;
}

}  // namespace dsm
