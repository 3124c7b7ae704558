// Devices of all kinds, as users name them: "sim:2,opencl:1".
//
// Threads: any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/device.h"
#include "taskrt/sim/device.h"

namespace taskrt {

// A value. None of all: the host's cores alone.
struct DeviceCounts {
  bool is_host_too = false;  // the host's cores, too, run what is for devices
  int simulated = 0, opencl = 0, cuda = 0;

  int all() const { return simulated + opencl + cuda; }
  // Then time is virtual: nothing real would wait for it.
  bool is_virtual() const { return simulated > 0 && simulated == all(); }
};

// "host", "sim:2,opencl:1", "host,opencl": a count that is left out is one. "": none of all.
absl::StatusOr<DeviceCounts> ParseDevices(std::string_view text);

// A value.
struct Devices {
  std::vector<std::unique_ptr<Device>> devices;
  // A sentence for each kind of which there are fewer than were asked for.
  std::vector<std::string> missing;

  // NotFound, with these sentences: for callers that do not go on without those devices.
  absl::Status AreAllThere() const;
};

// `simulated`: what those are, but for the name.
Devices MakeDevices(const DeviceCounts& counts, const SimulatedDeviceOptions& simulated);

}  // namespace taskrt
