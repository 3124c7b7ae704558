// The places at which submitted tasks that have not ended will use a block: what Belady's rule asks
// (residents.h).
//
// Threads: any.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/ids.h"
#include "taskrt/place.h"
#include "topo/mutex.h"

namespace taskrt {

// A value.
class FutureUses {
 public:
  // Mostly in ascending order.
  void Add(SubmitIndex index, Place place) {
    const topo::Lock lock(mutex_);
    const auto at = std::find_if(uses_.rbegin(), uses_.rend(),
                                 [&](const auto& use) { return use.first < index; });
    uses_.emplace(at.base(), index, place);
  }
  void Remove(SubmitIndex index) {
    const topo::Lock lock(mutex_);
    uses_.erase(std::lower_bound(uses_.begin(), uses_.end(), std::pair(index, kWhenReady)));
  }
  // kNever: none so far. A task without a place yet may run anywhere.
  SubmitIndex NextAt(Place place) const {
    const topo::Lock lock(mutex_);
    const auto next = std::find_if(uses_.begin(), uses_.end(), [&](const auto& use) {
      return use.second == place || use.second == kWhenReady;
    });
    return next == uses_.end() ? kNever : next->first;
  }

 private:
  mutable topo::Mutex mutex_;
  std::vector<std::pair<SubmitIndex, Place>> uses_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
