// taskrt: bring data to work.
//
// One header a concept, from the outside in:
//
//   runtime.h        tasks by what they read and write; waiting for them
//   task_options.h   a task's priority, place, and the tasks that it comes after
//   completion.h     the end of a task: waiting for it, cancelling it
//   block.h          a block that ends with its scope, over the program's memory or its own
//   typed.h          tasks with typed views of blocks (matrix.h: in, out and inout of one)
//   future.h         the value that a task's body returns
//   parts.h          parts of a matrix, which tasks access for themselves
//   graph.h          tasks that are submitted once and run again and again
//   kernel.h         what a task runs, on the host and on each kind of device
//   access.h         in, out, inout, commutative, reduction
//   tile.h           a block of memory, contiguous or with gaps
//   place.h          the host, or one of the devices
//   device.h         what a device can do, for those that add a kind of device
//   sim/device.h     a simulated device
//   schedulers/scheduler.h          where tasks run, chosen when they are submitted
//   schedulers/ready_schedulers.h   where tasks run, chosen when they can begin
//   plan/plan.h      the copies of a program before it runs
//   trace/trace.h    what tasks and copies did, and when
//   trace/copy_report.h    copies and bytes beside the least that the places allow
//   trace/trace_json.h     a trace for Perfetto
//   trace/timeline_svg.h   a trace as a picture
//
// OpenCL's and CUDA's devices are targets of their own: //taskrt:opencl, //taskrt:cuda, and all of
// them by name in //taskrt:devices. The paper's C interface is //taskrt:ompc.
//
// Source: [WLBS20].
#pragma once

#include "taskrt/access.h"                       // IWYU pragma: export
#include "taskrt/block.h"                        // IWYU pragma: export
#include "taskrt/completion.h"                   // IWYU pragma: export
#include "taskrt/device.h"                       // IWYU pragma: export
#include "taskrt/future.h"                       // IWYU pragma: export
#include "taskrt/graph.h"                        // IWYU pragma: export
#include "taskrt/kernel.h"                       // IWYU pragma: export
#include "taskrt/matrix.h"                       // IWYU pragma: export
#include "taskrt/parts.h"                        // IWYU pragma: export
#include "taskrt/place.h"                        // IWYU pragma: export
#include "taskrt/plan/plan.h"                    // IWYU pragma: export
#include "taskrt/runtime.h"                      // IWYU pragma: export
#include "taskrt/schedulers/ready_schedulers.h"  // IWYU pragma: export
#include "taskrt/schedulers/scheduler.h"         // IWYU pragma: export
#include "taskrt/sim/device.h"                   // IWYU pragma: export
#include "taskrt/task_options.h"                 // IWYU pragma: export
#include "taskrt/tile.h"                         // IWYU pragma: export
#include "taskrt/trace/copy_report.h"            // IWYU pragma: export
#include "taskrt/trace/timeline_svg.h"           // IWYU pragma: export
#include "taskrt/trace/trace.h"                  // IWYU pragma: export
#include "taskrt/trace/trace_json.h"             // IWYU pragma: export
#include "taskrt/typed.h"                        // IWYU pragma: export
#include "taskrt/version.h"                      // IWYU pragma: export
