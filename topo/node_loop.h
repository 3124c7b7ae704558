// A dynamic loop in each NUMA node: chunks go to whichever thread of the node
// asks next, and never to a thread of another node.
//
// Threads: any thread may ask for any node. Each index is handed out once.
// Order: relaxed; handing out orders nothing but itself. End the loop with a
//   barrier before reading what other threads wrote.
// Progress: wait-free (one fetch-and-add).
//
// Source: the original ULIBC's numa_loop; without its empty extra range when a
// chunk ends exactly at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "topo/spinning_atomic.h"
#include "topo/split.h"

namespace topo {

// A resource.
template <template <typename> class Atomic>
class BasicNodeLoop {
 public:
  // Node i of the mapping has indices [0, totals[i]), dealt `chunk` (>= 1) at a
  // time.
  BasicNodeLoop(std::span<const std::int64_t> totals, std::int64_t chunk) : chunk_(chunk) {
    for (std::int64_t total : totals) counters_.push_back(std::make_unique<Counter>(total));
  }

  // The next chunk of that node, or nullopt when it has been dealt out.
  std::optional<Range> Next(int node_index) {
    Counter& counter = *counters_[node_index];
    // Read first, so that threads that ask on and on cannot overflow it.
    if (counter.next.Load(std::memory_order_relaxed) >= counter.total) return std::nullopt;
    const std::int64_t begin = counter.next.FetchAdd(chunk_, std::memory_order_relaxed);
    if (begin >= counter.total) return std::nullopt;
    return Range{begin, counter.total - begin < chunk_ ? counter.total : begin + chunk_};
  }

  // Deals everything again. No thread may be inside Next.
  void Reset() {
    for (auto& counter : counters_) counter->next.Store(0, std::memory_order_relaxed);
  }

 private:
  struct alignas(64) Counter {
    explicit Counter(std::int64_t end) : next(0), total(end) {}
    Atomic<std::int64_t> next;  // written by the node's threads
    const std::int64_t total;
  };
  const std::int64_t chunk_;
  std::vector<std::unique_ptr<Counter>> counters_;
};

using NodeLoop = BasicNodeLoop<SpinningAtomic>;

}  // namespace topo
