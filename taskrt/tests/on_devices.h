// A runtime on real workers, with simulated devices.
#pragma once

#include <memory>
#include <utility>

#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"

namespace taskrt {

inline std::unique_ptr<Runtime> MakeRuntime(int devices) {
  RuntimeOptions options;
  options.pool.workers = 2;
  for (int i = 0; i < devices; ++i) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  }
  return *Runtime::Create(std::move(options));
}

}  // namespace taskrt
