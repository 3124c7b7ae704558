// What a run's tasks and copies did, and when: what trace_json.h and timeline_svg.h draw. The
// runtime records it where RuntimeOptions::traces says so.
//
// Time: nanoseconds since the first event, of lwt's clock, which is virtual where workers are
// simulated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "taskrt/ids.h"
#include "taskrt/place.h"
#include "taskrt/time_span.h"

namespace taskrt {

// A value.
struct TraceEvent {
  enum class Kind {
    kTask,      // from its kernel's begin to its end, at `to`
    kCopy,      // of a block
    kAllocate,  // of memory for a block at `to`, which holds up the host's worker
  };
  // On a worker of the host, by its number; -1: on none of them.
  struct Moment {
    int worker = -1;
    std::int64_t ns = 0;
  };
  Kind kind = Kind::kTask;
  std::string name = {};  // the kernel's or the block's, UTF-8
  // Of the task, or of the task for which it was copied; zero: it was written back at a wait.
  SubmitIndex submit_index = 0;
  Place from = kHost, to = kHost;
  std::uint64_t bytes = 0;
  Moment asked = {};   // for it; what the host did itself began then, on this worker
  TimeSpan span = {};  // when it was done: what the device says, else until the end was observed
  Moment seen = {};  // that it was done, by the thread that waited for it or for a later operation
};

// A value.
struct Trace {
  int workers = 0;                   // of the host
  std::vector<std::string> devices;  // their names, by place - 1
  std::vector<TraceEvent> events;    // those that began first before the others

  std::int64_t end_ns() const {
    std::int64_t end = 0;
    for (const TraceEvent& event : events) end = std::max({end, event.span.end_ns, event.seen.ns});
    return end;
  }
};

}  // namespace taskrt
