#include "dsm/cache/page_fetcher.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace dsm {

void PageFetcher::Fetch(PageRange pages) {
  llcl::Counter done;
  std::uint64_t posted = 0;
  ForEachPart(pages, map_.page_size().PagesAtOnce(kMostAtOnce), [&](PageRange part) {
    while (!TryFetch(part, done.completion())) {
      // What is under way makes room when it ends: this thread's reads, or other threads'.
      if (done.done(posted)) {
        waiter_.Pause([] { sched_yield(); });
      } else {
        WaitFor(done, done.ended() + 1);
      }
    }
    ++posted;
  });
  WaitFor(done, posted);
  if (done.failed() > 0) OnLost(pages);
}

bool PageFetcher::TryFetch(PageRange pages, llcl::Completion then) {
  const llcl::Posted result =
      endpoint_.TryRead({.from = memory_.At(map_.HomeOf(pages.first), pages.first),
                         .to = memory_.Local(pages.first),
                         .bytes = map_.page_size().BytesOf(pages.count()),
                         .then = then});
  if (result == llcl::Posted::kPosted) return true;
  if (result != llcl::Posted::kFull && result != llcl::Posted::kNoTag) OnLost(pages);
  return false;
}

void PageFetcher::WaitFor(const llcl::Counter& done, std::uint64_t expected) const {
  while (!done.done(expected)) {
    waiter_.Pause([&] { done.SleepUntilDone(expected); });
  }
}

int PageFetcher::HomeOrKeeperOf(PageNumber page) const {
  const int home = map_.HomeOf(page);
  return home != kNoHome ? home : map_.AllocationAt(page)->KeeperOf(page);
}

void PageFetcher::OnLost(PageRange pages) {
  if (map_.HomeOf(pages.first) == kNoHome) {
    End(pages, "it has no home yet, and that rank, which would know, is gone or did not answer");
  }
  const llcl::Rank home{map_.HomeOf(pages.first)};
  if (endpoint_.PresenceOf(home) == llcl::Presence::kLeft) End(pages, "its home has left");
  End(pages,
      "its home is gone or did not answer, or this process has no addresses for its memory "
      "(ulimit -v)");
}

void PageFetcher::OnRefused(const char* what, PageRange pages) {
  const int error = errno;
  const char* advice = "";
  if (error == ENOMEM) {
    // Only mprotect splits mappings.
    advice = memory_.engine().kind() == EngineKind::kSegv
                 ? " (ENOMEM: raise vm.max_map_count, or use larger pages)"
                 : " (ENOMEM: no memory is left)";
  } else if (error == EPERM || error == ENOSYS) {
    advice = " (a container's filter must allow madvise, mprotect and ioctl)";
  }
  char text[200];
  std::snprintf(text, sizeof text, "the system does not let us %s it: error %d%s", what, error,
                advice);
  End(pages, text);
}

void PageFetcher::End(PageRange pages, const char* why) const {
  char text[400];
  const int length = std::snprintf(
      text, sizeof text, "dsm: rank %d: page %llu at %p, of rank %d: %s\n", map_.rank(),
      static_cast<unsigned long long>(pages.first.value()),
      static_cast<const void*>(map_.AddressOf(pages.first)), HomeOrKeeperOf(pages.first), why);
  (void)!write(STDERR_FILENO, text, std::min(static_cast<std::size_t>(length), sizeof text - 1));
  _exit(kPageIsGone);
}

}  // namespace dsm
