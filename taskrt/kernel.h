// What a task computes, under one name: for the host, and for the devices that can.
//
//   const auto scale = taskrt::Kernel("scale").OnHost(
//       [](std::span<const taskrt::Tile> tiles, std::span<const std::byte> scalars) { ... });
//
// Threads: made by one; used by any.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "taskrt/tile.h"

namespace taskrt {

// A value.
class Kernel {
 public:
  // Tiles in the order of the task's accesses; scalars as they were submitted.
  using Body =
      std::function<absl::Status(std::span<const Tile> tiles, std::span<const std::byte> scalars)>;

  explicit Kernel(std::string name) : name_(std::move(name)) {}

  Kernel& OnHost(Body body) {
    host_ = std::move(body);
    return *this;
  }
  // A simulated device runs this on its own memory.
  Kernel& OnSimulated(Body body) {
    simulated_ = std::move(body);
    return *this;
  }
  // Of one task: for what is simulated, and for who chooses a place.
  Kernel& Flops(double flops) {
    flops_ = flops;
    return *this;
  }

  const std::string& name() const { return name_; }
  const Body& host() const { return host_; }
  const Body& simulated() const { return simulated_; }
  double flops() const { return flops_; }

 private:
  std::string name_;
  Body host_, simulated_;
  double flops_ = 0;
};

}  // namespace taskrt
