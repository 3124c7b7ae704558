// What a worker has done: counts, events, and the waits that began on it.
#pragma once

#include <array>
#include <cstddef>

#include "lwt/counters.h"
#include "lwt/trace.h"

namespace lwt {

// What may resume a suspended thread. If all threads of a pool wait, each for
// something that only they can bring, that is a deadlock.
enum class WokenBy {
  kThreads,  // lightweight threads of the pool only
  kAnyone,   // OS threads outside of the pool too
  kSystem,   // a timer or I/O too: never a deadlock
};

// The worker writes it; others read the counters at any time, the trace while no Run goes on.
struct Activity {
  Counters counters;
  TraceBuffer trace;
  // Threads that began to wait here, less those that then went on here, by WokenBy.
  std::array<Counter, 3> waits;

  Counter& waits_by(WokenBy by) { return waits[static_cast<std::size_t>(by)]; }
};

}  // namespace lwt
