// What a worker has done: counts, events, and the waits that began on it.
#pragma once

#include <array>
#include <cstddef>

#include "lwt/counters.h"
#include "lwt/trace.h"
#include "lwt/wait/woken_by.h"

namespace lwt {

// The worker writes it; others read the counters at any time, the trace while no Run goes on.
struct Activity {
  Counters counters;
  TraceBuffer trace;
  // Threads that began to wait here, less those that then went on here, by WokenBy.
  std::array<Counter, 3> waits;

  Counter& waits_by(WokenBy by) { return waits[static_cast<std::size_t>(by)]; }
};

}  // namespace lwt
