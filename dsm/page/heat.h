// Which pages cost most: counts of what happened to each, on this rank.
//
// Threads: any, all members; in signal handlers too.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "dsm/engine/page_array.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A value; since the beginning.
struct PageHeat {
  std::uint32_t faults = 0;   // touched too early
  std::uint32_t fetched = 0;  // times that it came
  std::uint32_t written = 0;  // times that a copy was written to for the first time
  // Flushes that ended an epoch in which several ranks changed it; where it is at home. With no
  // races in the program: which share it, and no word of it (false sharing).
  std::uint32_t shared = 0;
};

// A resource: memory only for pages that something happened to.
class Heat {
 public:
  static absl::StatusOr<Heat> Make(PageCount pages) {
    auto counts = PageArray<PageHeat>::Make(pages);
    if (!counts.ok()) return counts.status();
    Heat heat;
    heat.counts_ = *std::move(counts);
    return heat;
  }
  Heat() = default;

  void Count(PageNumber page, std::uint32_t PageHeat::*what) {
    std::atomic_ref(counts_[page].*what).fetch_add(1, std::memory_order_relaxed);
  }
  // The pages are other memory from now on.
  void Clear(PageRange pages) { counts_.Clear(pages); }
  PageHeat of(PageNumber page) const {
    PageHeat& counts = counts_[page];
    const auto load = [](std::uint32_t& count) {
      return std::atomic_ref(count).load(std::memory_order_relaxed);
    };
    return {load(counts.faults), load(counts.fetched), load(counts.written), load(counts.shared)};
  }

 private:
  PageArray<PageHeat> counts_;
};

}  // namespace dsm
