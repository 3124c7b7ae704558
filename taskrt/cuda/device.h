// Devices of CUDA.
//
//   absl::StatusOr<std::vector<std::unique_ptr<taskrt::Device>>> devices = taskrt::CudaDevices(4);
//
// A device has streams for copies in, for copies out, and for kernels. Copies go through pinned
// memory, unless the block's own is pinned. A waiting thread asks the driver again and again, while
// other threads run, and sleeps when that takes long. Their contexts are the primary ones, which
// CUDA's libraries use too (cuBLAS, ...).
//
// Threads: any.
//
// Source: [WLBS20] section 3.2.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/device.h"

namespace taskrt {

namespace cuda {
struct Driver;
}

// The first `most` devices. NotFound: this machine has no CUDA, or no device; in one sentence.
absl::StatusOr<std::vector<std::unique_ptr<Device>>> CudaDevices(int most);
// By a driver that outlives them.
absl::StatusOr<std::vector<std::unique_ptr<Device>>> CudaDevicesOf(const cuda::Driver& driver,
                                                                   int most);

}  // namespace taskrt
