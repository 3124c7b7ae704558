// Which devices are lost: a call of such a device has said so, and nothing can be asked of it any
// more.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/device.h"
#include "taskrt/place.h"

namespace taskrt {

// A resource. None at first.
class LostDevices {
 public:
  explicit LostDevices(std::size_t devices) : is_lost_(devices) {}

  bool Has(Place place) const {
    return place != kHost && is_lost_[static_cast<std::size_t>(place - 1)].load();
  }
  bool HasAny() const {
    return std::any_of(is_lost_.begin(), is_lost_.end(),
                       [](const std::atomic<bool>& one) { return one.load(); });
  }
  // Returns `status`, which a call of the place's device has returned.
  absl::Status Note(Place place, absl::Status status) {
    if (IsLoss(status) && place != kHost) is_lost_[static_cast<std::size_t>(place - 1)].store(true);
    return status;
  }

 private:
  std::vector<std::atomic<bool>> is_lost_;
};

}  // namespace taskrt
