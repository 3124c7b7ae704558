#include "dsm/cache/copies.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "dsm/spin_lock.h"

namespace dsm {
namespace {

bool IsHere(PageState state) { return state == PageState::kClean || state == PageState::kDirty; }

}  // namespace

absl::StatusOr<std::unique_ptr<Copies>> Copies::Make(Engine& engine, std::span<std::byte> memory,
                                                     std::uint64_t page_bytes, PageSource& source,
                                                     const CopyOptions& options) {
  std::unique_ptr<Copies> copies(new Copies(engine, memory, page_bytes, source, options));
  const std::uint64_t pages = memory.size() / page_bytes;
  for (const auto& [what, bytes] : {std::pair(&copies->states_, pages * sizeof(Page)),
                                    std::pair(&copies->twins_, memory.size()),
                                    std::pair(&copies->held_, pages * sizeof(std::uint64_t)),
                                    std::pair(&copies->mark_bytes_, pages)}) {
    auto reserved = Reserved::Zeros(bytes);
    if (!reserved.ok()) return reserved.status();
    *what = *std::move(reserved);
  }
  auto frames = Frames::Make(options.most_pages);
  if (!frames.ok()) return frames.status();
  copies->frames_ = *std::move(frames);
  copies->pages_ = copies->states_.as<Page>();
  copies->marks_ = copies->mark_bytes_.as<std::atomic<std::uint8_t>>();
  for (Coming& coming : copies->coming_) coming.copies = copies.get();
  return copies;
}

void Copies::OnFault(std::uint64_t page, bool writes) {
  faults_.fetch_add(1, std::memory_order_relaxed);
  Count({page, page + 1}, &PageHeat::faults);
  switch (Begin(page, writes)) {
    case Turn::kFetch:
      Reserve(page);
      Bring({page, page + 1}, writes ? Access::kWrite : Access::kRead);
      break;
    case Turn::kTake:
      Take(page);
      break;
    case Turn::kArm:
      Arm(page, Access::kWrite);
      break;
    case Turn::kRetry:
      break;
  }
}

void Copies::Preload(PageRange pages, Access access) {
  const std::uint64_t most = frames_.is_bounded() ? std::max<std::uint64_t>(1, frames_.most() / 2)
                                                  : pages.last - pages.first;
  for (std::uint64_t page = pages.first; page < pages.last;) {
    PageRange run = {page, page};
    while (run.last < pages.last && run.last - run.first < most && pages_[run.last].TryFetch()) {
      ++run.last;
    }
    if (!run.empty()) {
      // Who waits for memory holds none.
      if (!TryReserve(run)) {
        PutBack({run.first + 1, run.last});
        run.last = run.first + 1;
        Reserve(run.first);
      }
      Bring(run, access);
      page = run.last;
      continue;
    }
    // It is here, or on its way.
    switch (Begin(page, access != Access::kRead)) {
      case Turn::kFetch:
        Reserve(page);
        Bring({page, page + 1}, access);
        break;
      case Turn::kTake:
        Take(page);
        continue;
      case Turn::kArm:
        Arm(page, access);
        break;
      case Turn::kRetry:
        break;
    }
    ++page;
  }
}

// Precondition: this thread has made all of them kFetching, and they have memory.
void Copies::Bring(PageRange pages, Access access) {
  // Before it is asked for: who drops all copies waits for this one.
  AddHeld(pages);
  if (access == Access::kOverwrite) {
    // There must be memory to install.
    constexpr std::uint64_t kSystemPage = 4096;
    for (std::uint64_t at = pages.first * page_bytes_; at < pages.last * page_bytes_;
         at += kSystemPage) {
      *const_cast<volatile std::byte*>(&memory_[at]) = std::byte{0};
    }
    overwritten_.fetch_add(pages.last - pages.first, std::memory_order_relaxed);
  } else {
    source_.Fetch(pages);
    pages_fetched_.fetch_add(pages.last - pages.first, std::memory_order_relaxed);
    fetches_.fetch_add(1, std::memory_order_relaxed);
  }
  Arrive(pages, access);
}

// Precondition: this thread has made all of them kFetching, and they are in memory.
void Copies::Arrive(PageRange pages, Access access) {
  const bool writes = access != Access::kRead;
  if (access != Access::kOverwrite) Count(pages, &PageHeat::fetched);
  if (writes) Count(pages, &PageHeat::written);
  if (access == Access::kWrite) KeepTwins(pages);
  if (access == Access::kOverwrite) {
    for (std::uint64_t page = pages.first; page < pages.last; ++page) Set(page, kOverwritten);
  }
  Require(
      engine_.Install(pages.first * page_bytes_, (pages.last - pages.first) * page_bytes_, writes),
      "map", pages);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    pages_[page].Done(writes ? PageState::kDirty : PageState::kClean);
  }
}

// Precondition: this thread has made it kArming.
void Copies::Arm(std::uint64_t page, Access access) {
  const PageRange one = {page, page + 1};
  Count(one, &PageHeat::written);
  if (access == Access::kOverwrite) {
    Set(page, kOverwritten);
    overwritten_.fetch_add(1, std::memory_order_relaxed);
  } else {
    KeepTwins(one);
  }
  Require(engine_.AllowWrites(page * page_bytes_, page_bytes_), "let write", one);
  pages_[page].Done(PageState::kDirty);
}

void Copies::KeepTwins(PageRange pages) {
  twins_kept_.fetch_add(pages.last - pages.first, std::memory_order_relaxed);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    if (!Is(page, kTwinned)) {
      Set(page, kTwinned);
      twin_bytes_.fetch_add(page_bytes_, std::memory_order_relaxed);
    }
    std::memcpy(TwinOf(page).data(), BytesOf(page).data(), page_bytes_);
  }
}

// Their memory is kept for the next time, where it is not much: to take it anew costs more than
// the copying.
void Copies::ForgetTwins(PageRange pages) {
  const bool frees = twin_bytes_.load(std::memory_order_relaxed) > kMostIdleTwinBytes;
  if (frees) {
    madvise(TwinOf(pages.first).data(), (pages.last - pages.first) * page_bytes_, MADV_DONTNEED);
  }
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    if (frees && Is(page, kTwinned)) twin_bytes_.fetch_sub(page_bytes_, std::memory_order_relaxed);
    Clear(page, frees ? kOverwritten | kTwinned : kOverwritten);
  }
}

// Precondition: this thread has made all of them kFetching, and nothing has come.
void Copies::PutBack(PageRange pages) {
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    pages_[page].Done(PageState::kAbsent);
  }
}

void Copies::AddHeld(PageRange pages) {
  const SpinLock lock(lock_);
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    Set(page, kNew);
    if (Is(page, kListed)) continue;
    Set(page, kListed);
    held_.as<std::uint64_t>()[held_count_++] = page;
  }
}

std::vector<std::uint64_t> Copies::Held() {
  std::vector<std::uint64_t> held;
  {
    const SpinLock lock(lock_);
    const auto* const first = held_.as<std::uint64_t>();
    held.assign(first, first + held_count_);
  }
  std::sort(held.begin(), held.end());
  return held;
}

std::vector<std::uint64_t> Copies::TakeNew() {
  std::vector<std::uint64_t> pages = Held();
  std::erase_if(pages, [&](std::uint64_t page) {
    if (!Is(page, kNew)) return true;
    Clear(page, kNew);
    return false;
  });
  return pages;
}

// Precondition: this thread has made them kLeaving from kDirty.
void Copies::Send(std::span<const PageRange> written, ChangeSink& sink) {
  for (const PageRange& range : written) {
    Require(engine_.Protect(range.first * page_bytes_, (range.last - range.first) * page_bytes_),
            "protect", range);
    for (std::uint64_t page = range.first; page < range.last;) {
      PageRange whole = {page, page};
      while (whole.last < range.last && Is(whole.last, kOverwritten)) ++whole.last;
      if (!whole.empty()) {
        sink.SendAll(whole);
      } else {
        sink.Send(page, TwinOf(page), BytesOf(page));
        ++whole.last;
      }
      page = whole.last;
    }
  }
}

void Copies::FinishFaults(std::span<const std::uint64_t> pages) {
  const auto pause = [this](auto sleep) { Pause(sleep); };
  for (const std::uint64_t page : pages) {
    while (pages_[page].WaitUntilItLasts(pause) == PageState::kComing) Take(page);
  }
}

void Copies::SendChanges(std::span<const std::uint64_t> pages, ChangeSink& sink) {
  std::vector<std::uint64_t> written;
  for (const std::uint64_t page : pages) {
    if (pages_[page].TryLeave(PageState::kDirty)) written.push_back(page);
  }
  if (written.empty()) return;
  const std::vector<PageRange> ranges = AsRanges(written);
  Send(ranges, sink);
  sink.Settle();
  for (const PageRange& range : ranges) {
    // Before others can write to them, and keep new ones.
    ForgetTwins(range);
    for (std::uint64_t page = range.first; page < range.last; ++page) {
      pages_[page].Done(PageState::kClean);
    }
  }
}

std::vector<std::uint64_t> Copies::Drop(std::span<const std::uint64_t> pages, ChangeSink* sink) {
  std::vector<std::uint64_t> leaving, written, in_faults;
  for (const std::uint64_t page : pages) {
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
    // Who fetches one again must find there what was written here.
    sink->Settle();
  }
  for (const PageRange& range : ranges) ForgetTwins(range);
  for (const PageRange& range : AsRanges(leaving)) {
    Require(engine_.Invalidate(range.first * page_bytes_, (range.last - range.first) * page_bytes_),
            "invalidate", range);
    for (std::uint64_t page = range.first; page < range.last; ++page) {
      Clear(page, kNew);
      pages_[page].Done(PageState::kAbsent);
    }
  }
  invalidated_.fetch_add(leaving.size(), std::memory_order_relaxed);
  ForgetAbsent();
  return in_faults;
}

void Copies::ForgetAbsent() {
  const SpinLock lock(lock_);
  auto* const first = held_.as<std::uint64_t>();
  const auto* const last = std::remove_if(first, first + held_count_, [&](std::uint64_t page) {
    // Who fetches it again finds it listed, or lists it.
    if (pages_[page].state() != PageState::kAbsent) return false;
    Clear(page, kListed);
    return true;
  });
  held_count_ = static_cast<std::uint64_t>(last - first);
}

CopyCounts Copies::counts() const {
  return {.faults = faults_.load(),
          .pages_fetched = pages_fetched_.load(),
          .fetches = fetches_.load(),
          .twins = twins_kept_.load(),
          .overwritten = overwritten_.load(),
          .invalidated = invalidated_.load(),
          .evicted = evicted_.load()};
}

}  // namespace dsm
