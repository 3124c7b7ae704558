// Devices of OpenCL, all of this machine's: GPUs, FPGAs and, by PoCL, processors.
//
//   absl::StatusOr<std::vector<std::unique_ptr<taskrt::Device>>> devices =
//       taskrt::OpenClDevices(2);
//
// A device has queues for copies in, for copies out, and for kernels, as many as the units of the
// kernel that has most. No thread waits in the driver, which notifies of the end of each operation.
//
// Threads: any.
//
// Source: [WLBS20] sections 2.4, 3.2, 4.2.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/device.h"
#include "taskrt/kernel.h"

namespace taskrt {

// The first `most` devices, platform after platform. NotFound: there is no OpenCL here, or no
// device; in one sentence.
absl::StatusOr<std::vector<std::unique_ptr<Device>>> OpenClDevices(int most);

// What `kernel` is compiled to for `device`, one of OpenClDevices: a binary_file.
absl::StatusOr<std::string> OpenClBinary(Device& device, const OpenClKernel& kernel);

}  // namespace taskrt
