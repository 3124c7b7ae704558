// The end of a task, for the thread that waits for it.
#pragma once

#include "lwt/event.h"
#include "taskrt/ids.h"
#include "taskrt/place.h"

namespace taskrt {

// A resource. Used once: Runtime::SubmitAwaited, then Runtime::WaitFor.
class Awaited {
 public:
  Awaited() = default;
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

 private:
  friend class TaskOrder;
  friend class TaskRunner;

  lwt::Event ended_;
  SubmitIndex submit_index_ = 0;
  bool by_task_ = false;          // a task waits for it
  Place left_slot_ = kWhenReady;  // where that task leaves a slot meanwhile; kWhenReady: nowhere
};

}  // namespace taskrt
