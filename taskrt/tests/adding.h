// Tasks that add to blocks, and runtimes with simulated devices for them.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/kernel.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {

inline std::unique_ptr<Runtime> MakeRuntime(const std::vector<SimulatedDeviceOptions>& devices,
                                            std::unique_ptr<Scheduler> scheduler = nullptr) {
  RuntimeOptions options;
  options.pool.workers = 2;
  if (scheduler != nullptr) options.scheduler = std::move(scheduler);
  for (const SimulatedDeviceOptions& device : devices) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(device));
  }
  return *Runtime::Create(std::move(options));
}

// Of tiles of ints, the last of which is changed.
inline absl::Status AddOne(std::span<const Tile> tiles, std::span<const std::byte>) {
  for (int& value : Ints(tiles.back())) ++value;
  return absl::OkStatus();
}
inline absl::Status SetZero(std::span<const Tile> tiles, std::span<const std::byte>) {
  for (int& value : Ints(tiles.front())) value = 0;
  return absl::OkStatus();
}
inline absl::Status AddSecond(std::span<const Tile> tiles, std::span<const std::byte>) {
  for (std::size_t i = 0; i < Ints(tiles[0]).size(); ++i) Ints(tiles[0])[i] += Ints(tiles[1])[i];
  return absl::OkStatus();
}
inline const Kernel kZero = Kernel("zero").OnHost(SetZero).OnSimulated(SetZero);
inline const Kernel kCombine = Kernel("combine").OnHost(AddSecond).OnSimulated(AddSecond);
inline const Kernel kAdd = Kernel("add").OnHost(AddOne).OnSimulated(AddOne);
inline const Kernel kAddOnHost = Kernel("add").OnHost(AddOne);

}  // namespace taskrt
