// How a task is submitted, besides its kernel and its accesses.
#pragma once

#include <span>

#include "lwt/event.h"
#include "taskrt/completion.h"
#include "taskrt/place.h"

namespace taskrt {

// A value.
struct TaskOptions {
  // The higher comes first, among ready tasks that wait for a device or for a place that is chosen
  // late (schedulers/ready_schedulers.h). Among tasks of the host: with
  // RuntimeOptions::host_priorities; without it, where there are devices, among those that have a
  // priority; and else it has no effect. 0: none.
  int priority = 0;
  // Where it runs: kHost, DevicePlace(i), or where the scheduler chooses. A broken contract: its
  // kernel has no body for that place.
  Place place = kAnyPlace;
  // Tasks of this runtime after whose ends it begins, however these ended, besides those that its
  // accesses name. In graphs: none.
  std::span<const Completion> after = {};
  // Set when the task has ended or was left out. Null: nobody waits. In graphs: null.
  lwt::Event* ended = nullptr;
};

// Without any of them.
inline constexpr TaskOptions kNoTaskOptions;

}  // namespace taskrt
