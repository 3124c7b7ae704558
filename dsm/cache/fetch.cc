// How pages come: when they are touched, and before.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dsm/layout/parts.h"
#include "dsm/space.h"

namespace dsm {

bool Space::OnFault(std::uint64_t offset, bool writes) {
  const std::uint64_t page = offset / options_.page_bytes;
  if (AllocationAt(page) == nullptr) return false;
  if (HomeOfPage(page) == rank_) {
    const bool is_raced = races_ != nullptr && writes && races_->OnWrite(page);
    return home_->OnFault(page, writes) || is_raced;
  }
  copies_->OnFault(page, writes);
  return true;
}

// In signal handlers, too: no allocation.
void Space::Fetch(PageRange pages) {
  const std::uint64_t most = std::max<std::uint64_t>(1, kMostAtOnce / options_.page_bytes);
  llcl::Counter done;
  std::uint64_t posted = 0;
  for (std::uint64_t page = pages.first; page < pages.last; page += most) {
    const PageRange some = {page, std::min(page + most, pages.last)};
    while (!TryFetch(some, done.completion())) {
      // What is under way makes room, ours or others'.
      if (done.done(posted)) {
        if (options_.waiter == nullptr || !options_.waiter()) sched_yield();
      } else {
        WaitFor(done, done.ended() + 1);
      }
    }
    ++posted;
  }
  WaitFor(done, posted);
  if (done.failed() > 0) OnLost(pages);
}

// In signal handlers, too.
bool Space::TryFetch(PageRange pages, llcl::Completion then) {
  const std::uint64_t at = pages.first * options_.page_bytes;
  const llcl::Posted result = job_.endpoint->TryRead(
      {.from = {homes_[static_cast<std::size_t>(HomeOfPage(pages.first))], at},
       .to = {memory_.local(), at},
       .bytes = (pages.last - pages.first) * options_.page_bytes,
       .then = then});
  if (result == llcl::Posted::kPosted) return true;
  if (result != llcl::Posted::kFull && result != llcl::Posted::kNoTag) OnLost(pages);
  return false;
}

void Space::WaitFor(const llcl::Counter& done, std::uint64_t expected) const {
  while (!done.done(expected)) {
    if (options_.waiter == nullptr || !options_.waiter()) return done.SleepUntilDone(expected);
  }
}

void Space::WaitFor(const llcl::Flag& told) {
  while (!told.done()) {
    if (options_.waiter == nullptr || !options_.waiter()) return (void)job_.endpoint->Wait(told);
  }
}

void Space::OnLost(PageRange pages) { End(pages, "its home is gone, or did not answer"); }

void Space::OnRefused(const char* what, PageRange pages) {
  char text[200];
  std::snprintf(text, sizeof text, "the system does not let us %s it: error %d%s", what, errno,
                errno == ENOMEM ? " (ENOMEM: raise vm.max_map_count, or use larger pages)" : "");
  End(pages, text);
}

// In signal handlers, too: no allocation.
void Space::End(PageRange pages, const char* why) const {
  char text[400];
  const int length =
      std::snprintf(text, sizeof text, "dsm: rank %d: page %llu at %p, of rank %d: %s\n", rank_,
                    static_cast<unsigned long long>(pages.first),
                    static_cast<const void*>(view_.data() + pages.first * options_.page_bytes),
                    HomeOfPage(pages.first), why);
  (void)!write(STDERR_FILENO, text, std::min(static_cast<std::size_t>(length), sizeof text - 1));
  _exit(kPageIsGone);
}

absl::StatusOr<PageRange> Space::PagesOf(std::span<const std::byte> memory) const {
  if (memory.empty()) return PageRange();
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uint64_t offset = at - options_.base;
  // Allocations lie without gaps.
  if (at < options_.base || offset > options_.bytes || memory.size() > options_.bytes - offset ||
      AllocationAt(PageAt(&memory.back())) == nullptr) {
    return absl::OutOfRangeError(absl::StrCat("the ", memory.size(), " bytes at 0x", absl::Hex(at),
                                              " are not all allocated in the space"));
  }
  return PageRange{PageAt(memory.data()), PageAt(&memory.back()) + 1};
}

absl::Status Space::Preload(std::span<const std::byte> memory, Access access) {
  const absl::StatusOr<PageRange> pages = PagesOf(memory);
  if (!pages.ok()) return pages.status();
  std::uint64_t foreign = 0;
  ForEachForeign(*pages, [&](PageRange of_one) { foreign += of_one.last - of_one.first; });
  if (const std::uint64_t most = options_.cache_bytes / options_.page_bytes;
      most > 0 && foreign > most) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the cache has ", most, " pages, not the ", foreign, " that are to come"));
  }
  const auto bring = [&](PageRange some, Access how) {
    ForEachForeign(some, [&](PageRange of_one) { copies_->Preload(of_one, how); });
  };
  // Who looks for races must know what was changed.
  if (access == Access::kOverwrite && options_.finds_races) access = Access::kWrite;
  if (access != Access::kOverwrite) {
    bring(*pages, access);
    return absl::OkStatus();
  }
  // What lies beside it on its first and last page comes.
  const std::uint64_t page_bytes = options_.page_bytes;
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(memory.data()) - options_.base;
  const PageRange whole = {(begin + page_bytes - 1) / page_bytes,
                           (begin + memory.size()) / page_bytes};
  if (whole.first >= whole.last) {
    bring(*pages, Access::kWrite);
    return absl::OkStatus();
  }
  bring({pages->first, whole.first}, Access::kWrite);
  bring(whole, Access::kOverwrite);
  bring({whole.last, pages->last}, Access::kWrite);
  return absl::OkStatus();
}

absl::Status Space::PreloadArray(const void* array, const ArrayShape& shape, const Bounds& part,
                                 Access access) {
  // What lies between rows is not overwritten.
  const std::uint64_t gap = access == Access::kOverwrite ? 0 : options_.page_bytes;
  const auto ranges = BytesOfPart(shape, part, gap);
  if (!ranges.ok()) return ranges.status();
  const auto* const first = static_cast<const std::byte*>(array);
  for (const ByteRange& range : *ranges) {
    const absl::Status loaded = Preload({first + range.first, range.last - range.first}, access);
    if (!loaded.ok()) return loaded;
  }
  return absl::OkStatus();
}

absl::StatusOr<Arrival> Space::StartPreload(std::span<const std::byte> memory, Access access) {
  const absl::StatusOr<PageRange> pages = PagesOf(memory);
  if (!pages.ok()) return pages.status();
  if (access == Access::kOverwrite) {
    return absl::InvalidArgumentError("nothing comes of what is to be overwritten: Preload");
  }
  ForEachForeign(*pages, [&](PageRange of_one) {
    (void)copies_->StartPreload(of_one, access == Access::kWrite);
  });
  return Arrival(*this, memory, access);
}

bool Arrival::IsThere() {
  bool is_there = true;
  space_->ForEachForeign(space_->PagesOf(memory_).value(), [&](PageRange of_one) {
    is_there = space_->copies_->IsThere(of_one) && is_there;
  });
  return is_there;
}

absl::Status Arrival::Wait() { return space_->Preload(memory_, access_); }

absl::Status Space::MakeResident(std::span<const std::byte> memory, Access access) {
  const absl::StatusOr<PageRange> pages = PagesOf(memory);
  if (!pages.ok()) return pages.status();
  if (access != Access::kRead) {
    // Those at home that are watched: as if they were written now.
    for (std::uint64_t page = pages->first; page < pages->last; ++page) {
      if (HomeOfPage(page) == rank_) (void)OnFault(page * options_.page_bytes, true);
    }
  }
  std::vector<PageRange> foreign;
  ForEachForeign(*pages, [&](PageRange of_one) { foreign.push_back(of_one); });
  if (!copies_->TryPin(foreign)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no more than half of the cache of ", options_.cache_bytes,
                     " bytes can be made resident between two barriers"));
  }
  return Preload(memory, access);
}

}  // namespace dsm
