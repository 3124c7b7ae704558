#include "dsm/home/home_claims.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>

#include "llcl/atomics.h"
#include "llcl/completion.h"

namespace dsm {

int HomeClaims::Claim(PageNumber page) {
  while (true) {
    const int known = map_.HomeOf(page);
    if (known != kNoHome) return known;
    FirstTouchPage& touched = touched_[page];
    if (!touched.TryAsk()) {
      touched.WaitWhileAsking([this](auto sleep) { waiter_.Pause(sleep); });
      continue;
    }
    const std::optional<int> home = Ask(page);
    if (!home) {
      touched.SetUnanswered();
      return kNoHome;
    }
    if (*home == map_.rank()) home_.Open(page);
    touched.SetHome(*home);
    return *home;
  }
}

std::optional<int> HomeClaims::Ask(PageNumber page) {
  llcl::Endpoint& endpoint = peers_.endpoint();
  const int keeper = map_.AllocationAt(page)->KeeperOf(page);
  llcl::Counter done;
  while (true) {
    const llcl::Posted posted =
        endpoint.TryAtomic<std::uint32_t>({.target = memory_.HomeWordAt(keeper, page),
                                           .op = llcl::AtomicOp::kCompareSwap,
                                           .operand = static_cast<std::uint32_t>(map_.rank()) + 1,
                                           .fetch_to = memory_.HomeAnswer(page),
                                           .then = done.completion()});
    if (posted == llcl::Posted::kPosted) break;
    if (posted != llcl::Posted::kFull && posted != llcl::Posted::kNoTag) return std::nullopt;
    waiter_.Pause([] { sched_yield(); });
  }
  while (!done.done(1)) {
    waiter_.Pause([&] { done.SleepUntilDone(1); });
  }
  if (done.failed() > 0) return std::nullopt;
  const std::uint32_t before = memory_.home_words()[page.value()].answer;
  return before == 0 ? map_.rank() : static_cast<int>(before) - 1;
}

absl::Status HomeClaims::ClaimAll(PageRange pages) {
  while (!pages.empty()) {
    const Allocation& allocation = *map_.AllocationAt(pages.first);
    const PageNumber end = std::min(pages.last, allocation.pages().last);
    for (PageNumber page = pages.first; allocation.touched != nullptr && page < end; ++page) {
      if (Claim(page) == kNoHome) return peers_.WhyNotAll("a page's first touch was not answered");
    }
    pages.first = end;
  }
  return absl::OkStatus();
}

void HomeClaims::Forget(const Allocation& allocation) {
  for (const PageRange& mine : allocation.PagesOf(map_.rank())) home_.Close(mine);
  touched_.Clear(allocation.pages());
  memory_.ClearHomeWords(allocation.pages());
  memory_.Clear(allocation.pages());
}

}  // namespace dsm
