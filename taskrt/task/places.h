// The places of a runtime, and what each can run.
//
// Threads: any; it does not change.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/device.h"
#include "taskrt/kernel.h"
#include "taskrt/place.h"
#include "taskrt/task/describe.h"
#include "taskrt/task/place_set.h"

namespace taskrt {

// A value. The devices outlive it.
class Places {
 public:
  explicit Places(std::span<const std::unique_ptr<Device>> devices) : devices_(devices) {}

  // Empty: a task of the kernel fails, on the host.
  PlaceSet ThatCanRun(const Kernel& kernel) const {
    PlaceSet places;
    if (kernel.host() != nullptr) places.Add(kHost);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i]->CanRun(kernel)) places.Add(static_cast<Place>(i + 1));
    }
    return places;
  }
  // The error of a task of such a kernel.
  absl::Status NoneCanRun(const Kernel& kernel) const {
    std::string devices;
    for (const auto& device : devices_) absl::StrAppend(&devices, " and ", device->name());
    return absl::FailedPreconditionError(absl::StrCat("no place can run its kernel, which is for ",
                                                      BodiesOf(kernel), "; there are the host",
                                                      devices));
  }

  std::size_t device_count() const { return devices_.size(); }
  Device& DeviceAt(Place place) const { return *devices_[static_cast<std::size_t>(place - 1)]; }

 private:
  const std::span<const std::unique_ptr<Device>> devices_;
};

}  // namespace taskrt
