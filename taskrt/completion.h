// The end of a task that was submitted.
//
//   const taskrt::Completion done = rt.Submit(solve, {{a, taskrt::Mode::kInOut}});
//   ...
//   if (absl::Status status = done.Wait(); !status.ok()) ...
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "taskrt/ids.h"

namespace taskrt {

class Runtime;
class Task;

// A value: names a task, also when that has ended. The runtime outlives its uses. Threads: any.
class Completion {
 public:
  // Of no task, which has ended.
  Completion() = default;

  // Returns when the task has ended or was left out. OK: it has run without an error. Errors: its
  // own; Cancelled: it was left out. FailedPrecondition, such that IsRefusedWait (runtime.h): the
  // task comes after the calling task, or is it.
  absl::Status Wait() const;
  // Has the task ended, or was it left out?
  bool HasEnded() const;
  // Submits a task of the host that calls `body()` when the task has ended, unless that has failed
  // or was left out. Errors: as those of other bodies. A broken contract: of no task.
  Completion Then(std::string name, std::function<void()> body) const;
  // Asks that the task be left out. One that has begun ends as usual. Where the task is left out,
  // so are the tasks that read a value that it was to write, and those that read theirs; tasks that
  // write all of a block have no need of it, and commutative tasks and reductions of one group do
  // not read each other's. The blocks keep the values that they had. Until the next Runtime::Wait,
  // WaitOn of such a block is Cancelled; with kInOut the caller has the block, to make another
  // value. That Wait is Cancelled, and names the first task that was left out.
  void Cancel() const;

 private:
  friend class Runtime;
  friend class TaskOrder;
  friend class Submitter;
  Completion(Runtime* runtime, Task* task, SubmitIndex index)
      : runtime_(runtime), task_(task), index_(index) {}

  Runtime* runtime_ = nullptr;
  Task* task_ = nullptr;  // its place in the runtime's store, which may be another task's by now
  SubmitIndex index_ = 0;
};

}  // namespace taskrt
