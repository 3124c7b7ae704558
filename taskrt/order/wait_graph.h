// Which tasks wait for the ends of which others, so that a wait that could never end is refused.
//
// Threads: one at a time; TaskOrder guards it.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/access.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task.h"

namespace taskrt {

// FailedPrecondition, such that IsRefusedWait (runtime.h).
absl::Status RefusedWait(std::string_view message);

// A resource.
class WaitGraph {
 public:
  // The body of `waiter` waits for the end of the task that was submitted as `awaited`.
  void Add(SubmitIndex awaited, const Task& waiter) {
    waiters_[awaited] = {&waiter, waiter.submit_index};
  }
  void Remove(SubmitIndex awaited) { waiters_.erase(awaited); }

  // A run of the graph, until which its tasks do not end.
  void BeginRun(GraphTasks& graph) { running_.push_back(&graph); }
  // From here on the run's graph may be gone.
  void EndRun(const Task& run);
  // The task of a running graph; null: none of them.
  Task* FindInGraphs(SubmitIndex index) const;

  // OK: a task that does this to the block may be waited for by `task`, which runs.
  absl::Status CheckMayWaitFor(const Task& task, const BlockRecord& block, Mode mode) const;
  // OK: `awaited` may be waited for by `task`, which runs.
  absl::Status CheckMayWaitFor(const Task& task, const Task& awaited) const;

 private:
  struct Waiter {
    const Task* task = nullptr;
    SubmitIndex submit_index = 0;  // of that task, whose place may be another's by now
  };

  std::unordered_set<const Task*> AllAfter(const Task& task) const;

  std::unordered_map<SubmitIndex, Waiter> waiters_;  // by the task whose end is awaited
  std::vector<GraphTasks*> running_;
};

}  // namespace taskrt
