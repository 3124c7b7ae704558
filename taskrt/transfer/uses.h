// Who will use a block, of the tasks that were submitted and have not ended: what Belady's rule
// asks (residents.h).
//
// Threads: any.
#pragma once

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "taskrt/place.h"
#include "taskrt/transfer/residents.h"

namespace taskrt {

// A value.
class Uses {
 public:
  // Mostly in the order of their turns.
  void Add(Turn turn, Place place) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(uses_.rbegin(), uses_.rend(),
                                 [&](const auto& use) { return use.first < turn; });
    uses_.emplace(at.base(), turn, place);
  }
  void Remove(Turn turn) {
    const std::lock_guard lock(mutex_);
    uses_.erase(std::lower_bound(uses_.begin(), uses_.end(), std::pair(turn, kWhenReady)));
  }
  // kNever: none so far. Who has no place yet may come anywhere.
  Turn NextAt(Place place) const {
    const std::lock_guard lock(mutex_);
    const auto next = std::find_if(uses_.begin(), uses_.end(), [&](const auto& use) {
      return use.second == place || use.second == kWhenReady;
    });
    return next == uses_.end() ? kNever : next->first;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<Turn, Place>> uses_;  // under mutex_
};

}  // namespace taskrt
