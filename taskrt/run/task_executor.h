// Runs a task at its place: brings its blocks there, calls its kernel, and runs it elsewhere if its
// device is lost.
//
// Threads: lightweight ones; each runs another task.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "lwt/timer.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/order/task_order.h"
#include "taskrt/task/places.h"
#include "taskrt/task/task.h"
#include "taskrt/tile.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/transfer/mover.h"

namespace taskrt {

// A resource. What it is made of outlives it.
class TaskExecutor {
 public:
  struct Parts {
    const Places& places;
    TaskOrder& order;
    Mover& mover;
    TaskCounts& counts;
    Recorder* recorder;  // null: nothing is traced
  };
  struct Options {
    double host_flops_per_s = 0;  // of one simulated worker
    bool checks_accesses = false;
  };
  TaskExecutor(const Parts& parts, const Options& options) : parts_(parts), options_(options) {}

  // `seconds`: as Scheduler::Ended's, where the task's place was chosen when it could begin.
  absl::Status Run(Task& task, std::optional<double>& seconds);

 private:
  struct Attempt {
    bool has_begun = false;
    std::optional<double> seconds;
  };
  absl::Status RunUntilNotLost(Task& task, Attempt& attempt);
  absl::Status RunOnce(Task& task, Attempt& attempt);
  absl::Status RunOnHost(const Task& task, std::span<const Tile> tiles);
  absl::Status RunOnDevice(Task& task, const Prepared& prepared, TraceEvent event);
  void Prefetch(Task& task);
  bool MoveFromLost(Task& task);
  double Measure(Place place, lwt::Deadline begun);

  const Parts parts_;
  const Options options_;
};

}  // namespace taskrt
