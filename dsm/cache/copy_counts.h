// Counts of what happened to the copies of a rank.
#pragma once

#include <atomic>
#include <cstdint>

#include "dsm/layout/pages.h"

namespace dsm {

// A value; counted since the beginning.
struct CopyCounts {
  std::uint64_t faults = 0;         // reads and writes that came too early
  std::uint64_t pages_fetched = 0;  // by faults and preloads
  std::uint64_t fetches = 0;        // of one page or more at once
  std::uint64_t read_ahead = 0;     // pages that came along with a page that was read
  std::uint64_t twins = 0;          // pages that were written
  std::uint64_t overwritten = 0;    // pages that were to be written without being fetched
  std::uint64_t invalidated = 0;    // by barriers and locks
  std::uint64_t evicted = 0;        // because their memory was needed
};

// A resource. Threads: any, in signal handlers too.
class CopyCounters {
 public:
  void Add(std::uint64_t CopyCounts::*what, std::uint64_t count) {
    std::atomic_ref(counts_.*what).fetch_add(count, std::memory_order_relaxed);
  }
  void Add(std::uint64_t CopyCounts::*what, PageCount pages) { Add(what, pages.value()); }
  CopyCounts counts() const {
    CopyCounts counts;
    for (const auto what : {&CopyCounts::faults, &CopyCounts::pages_fetched, &CopyCounts::fetches,
                            &CopyCounts::read_ahead, &CopyCounts::twins, &CopyCounts::overwritten,
                            &CopyCounts::invalidated, &CopyCounts::evicted}) {
      counts.*what = std::atomic_ref(counts_.*what).load();
    }
    return counts;
  }

 private:
  mutable CopyCounts counts_;
};

}  // namespace dsm
