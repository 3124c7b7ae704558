// The search for operations that end before the device has ended them: operations that are overdue
// or whose rank is gone, and all operations once the executor is aborted. The search is made now
// and then, over a part of the operations at a time.
//
// Threads: one at a time, under the executor's lock.
#pragma once

#include <cstdint>
#include <optional>

#include "llcl/executor/device.h"
#include "llcl/executor/host.h"
#include "llcl/executor/in_flight.h"
#include "llcl/executor/operations.h"
#include "llcl/executor/step_results.h"
#include "topo/atomic.h"

namespace llcl {

// A resource. The arguments of the constructor outlive it.
class OverdueScan {
 public:
  // `host`: or null.
  OverdueScan(const Device& device, BasicOperations<topo::Atomic>& operations, InFlight& in_flight,
              const Host* host)
      : device_(device), operations_(operations), in_flight_(in_flight), host_(host) {}

  // Called in each step, with an empty `step`: gives up the operations that it finds, if it is time
  // to look for them. True: it has found some.
  bool GiveUp(StepResults& step) {
    if (--steps_to_clock_ > 0 && next_ == 0) return false;
    return Look(step);
  }
  // The next step reads the clock.
  void LookSoon() { steps_to_clock_ = 0; }
  // From the next step on it gives up everything.
  void Abort() {
    is_aborted_ = true;
    due_ms_ = 0;
    steps_to_clock_ = 0;
  }

 private:
  bool Look(StepResults& step);
  std::optional<Outcome> Judge(Operation& operation, std::int64_t now) const;

  const Device& device_;
  BasicOperations<topo::Atomic>& operations_;
  InFlight& in_flight_;
  const Host* const host_;
  Tag next_ = 0;            // where the search goes on; 0: it starts again at due_ms_
  int steps_to_clock_ = 0;  // reading it costs as much as a step
  std::int64_t due_ms_ = 0;
  bool is_aborted_ = false;
};

}  // namespace llcl
