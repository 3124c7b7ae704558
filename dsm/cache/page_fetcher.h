// Fetches pages from their homes: each is one read of the home's memory, for which the home does
// nothing. Where a page cannot be had the process ends, as no access to memory can report an error.
//
// Threads: any, all members, in signal handlers too: nothing is allocated, no lock is taken and no
//   handler of a message runs.
#pragma once

#include "dsm/cache/page_source.h"
#include "dsm/engine/space_memory.h"
#include "dsm/layout/address_map.h"
#include "dsm/threads/waiter.h"
#include "llcl/endpoint.h"

namespace dsm {

// A process that ends as a page cannot be had, or what was written to it not be sent, has this exit
// code: sysexits.h's EX_TEMPFAIL.
inline constexpr int kPageIsGone = 75;

// A resource; the endpoint, the map and the memory outlive it.
class PageFetcher final : public PageSource {
 public:
  PageFetcher(llcl::Endpoint& endpoint, const AddressMap& map, const SpaceMemory& memory,
              Waiter waiter)
      : endpoint_(endpoint), map_(map), memory_(memory), waiter_(waiter) {}

  void Fetch(PageRange pages) override;
  bool TryFetch(PageRange pages, llcl::Completion then) override;
  PageNumber EndOfRun(PageNumber page) const override { return map_.RunAt(page).last; }
  [[noreturn]] void OnLost(PageRange pages) override;
  [[noreturn]] void OnRefused(const char* what, PageRange pages) override;

 private:
  // Which rank a page does not come from.
  int HomeOrKeeperOf(PageNumber page) const;
  void WaitFor(const llcl::Counter& done, std::uint64_t expected) const;
  [[noreturn]] void End(PageRange pages, const char* why) const;

  llcl::Endpoint& endpoint_;
  const AddressMap& map_;
  const SpaceMemory& memory_;
  const Waiter waiter_;
};

}  // namespace dsm
