// The ranks that were lost, each reported to the program once. A device notices that a rank is gone
// (ofi/peers.h, smp/device.h).
//
// Threads: any.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "llcl/endpoint/executors.h"
#include "llcl/region.h"

namespace llcl {

// A resource. `executors` outlive it.
class Losses {
 public:
  // `on_loss` (or none) is called for each rank of `size` that is gone.
  Losses(const Executors& executors, int size, std::function<void(Rank)> on_loss)
      : executors_(executors),
        size_(size),
        on_loss_(std::move(on_loss)),
        reported_(new std::atomic<bool>[static_cast<std::size_t>(size)]()) {}

  // Called in each step. True: there were losses since the last call.
  bool ReportNew() {
    const int losses = executors_.losses();
    if (losses == seen_.load(std::memory_order_relaxed)) return false;
    seen_.store(losses, std::memory_order_relaxed);
    Report();
    return true;
  }

 private:
  void Report();

  const Executors& executors_;
  const int size_;
  const std::function<void(Rank)> on_loss_;
  std::atomic<int> seen_{0};
  const std::unique_ptr<std::atomic<bool>[]> reported_;  // by rank
};

}  // namespace llcl
