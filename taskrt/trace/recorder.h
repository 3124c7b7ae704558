// Collects what tasks and copies did, while they do it (trace.h).
//
// Threads: any.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/device.h"
#include "taskrt/trace/trace.h"
#include "topo/mutex.h"

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
  // A device will have done it when the task for which it is has ended.
  void Promise(TraceEvent event, Device& device, Ticket ticket);
  // That task has ended.
  void EndOf(SubmitIndex index);

  Trace Read(int workers, std::span<const std::unique_ptr<Device>> devices) const;

 private:
  struct Promised {
    TraceEvent event;
    Device* device = nullptr;
    Ticket ticket = kDone;
  };

  mutable topo::Mutex mutex_;
  std::vector<TraceEvent> events_ ABSL_GUARDED_BY(mutex_);
  std::multimap<SubmitIndex, Promised> promised_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
