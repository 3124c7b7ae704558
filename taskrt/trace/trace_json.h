// A trace as the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing show: a row for each
// worker of the host with its tasks and allocations, and of each device a row for its kernels, for
// copies in, copies out and copies from other devices. What overlaps in a row gets rows of its own
// below. Marks on the workers' rows show which worker asked the device, and which observed the end
// of a task.
#pragma once

#include <string>

#include "taskrt/trace/trace.h"

namespace taskrt {

std::string ToChromeTrace(const Trace& trace);

}  // namespace taskrt
