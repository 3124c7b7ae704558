// Collects what tasks and copies did, while they do it (trace.h).
//
// Threads: any.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "taskrt/device.h"
#include "taskrt/trace/trace.h"

namespace taskrt {

// A resource. The devices outlive it.
class Recorder {
 public:
  // The caller's worker and moment.
  static TraceEvent::Moment Now();

  // It has just ended: the host did it,
  void Add(TraceEvent event);
  // or a device.
  void Add(TraceEvent event, Device& device, Ticket ticket);
  // A device will have done it when the task of its turn has ended.
  void Promise(TraceEvent event, Device& device, Ticket ticket);
  // That task has ended.
  void EndOf(Turn turn);

  Trace Read(int workers, std::span<const std::unique_ptr<Device>> devices) const;

 private:
  struct Promised {
    TraceEvent event;
    Device* device = nullptr;
    Ticket ticket = kDone;
  };

  mutable std::mutex mutex_;
  std::vector<TraceEvent> events_;          // under mutex_
  std::multimap<Turn, Promised> promised_;  // under mutex_
};

}  // namespace taskrt
