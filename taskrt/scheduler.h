// Who runs a task: asked for each when it is submitted, in that order.
#pragma once

#include <memory>
#include <span>

#include "taskrt/place.h"
#include "taskrt/task.h"

namespace taskrt {

// Threads: one at a time.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // One of `places`, those that can run it: ascending, at least one.
  virtual Place PlaceFor(const Task& task, std::span<const Place> places) = 0;
};

// The devices in turn, as the paper; the host where none can.
class RoundRobin final : public Scheduler {
 public:
  Place PlaceFor(const Task& task, std::span<const Place> places) override;

 private:
  std::size_t next_ = 0;
};

// The device that owns the block that the task changes, the last of them: by the number that the
// block was registered with, around all devices that can run it. Nothing that is changed moves.
class OwnerComputes final : public Scheduler {
 public:
  Place PlaceFor(const Task& task, std::span<const Place> places) override;
};

}  // namespace taskrt
