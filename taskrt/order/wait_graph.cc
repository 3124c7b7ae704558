#include "taskrt/order/wait_graph.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "taskrt/order/graph_tasks.h"
#include "taskrt/task/describe.h"

namespace taskrt {

absl::Status RefusedWait(std::string_view message) {
  absl::Status refused = absl::FailedPreconditionError(std::string(message));
  refused.SetPayload("taskrt/refused_wait", {});
  return refused;
}

void WaitGraph::EndRun(const Task& run) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const GraphTasks* graph) { return graph->run() == &run; });
  GraphTasks& graph = **found;
  running_.erase(found);
  // Waits of threads that its tasks have detached.
  std::erase_if(waiters_, [&](const auto& one) { return one.second.task->graph() == &graph; });
  graph.End();
}

Task* WaitGraph::FindInGraphs(SubmitIndex index) const {
  Task* task = nullptr;
  for (std::size_t i = 0; task == nullptr && i < running_.size(); ++i) {
    task = running_[i]->Find(index);
  }
  return task;
}

// Tasks that can only end after `task`: those that come after it, tasks whose bodies wait for one
// of these, and so on.
std::unordered_set<const Task*> WaitGraph::AllAfter(const Task& task) const {
  std::unordered_set<const Task*> all;
  std::vector<const Task*> left;
  const auto add = [&](const Task& one) {
    const Task& outer = OutermostOf(one);
    if (all.insert(&outer).second) left.push_back(&outer);
  };
  add(task);
  while (!left.empty()) {
    const Task& one = *left.back();
    left.pop_back();
    one.ForEachAfter(add);
    const auto found = waiters_.find(one.submit_index);
    if (found == waiters_.end()) continue;
    const Waiter& waiter = found->second;
    if (waiter.task->submit_index == waiter.submit_index && !waiter.task->has_ended())
      add(*waiter.task);
  }
  return all;
}

absl::Status WaitGraph::CheckMayWaitFor(const Task& task, const BlockRecord& block,
                                        Mode mode) const {
  const auto refused = [&](const auto&... why) {
    return RefusedWait(
        absl::StrCat(Describe(task), " would wait for itself on block ", block.name, why...));
  };
  if (task.commutes()) return refused(": commutative tasks and reductions wait for no block");
  const std::unordered_set<const Task*> later = AllAfter(task);
  const Task* cause = nullptr;
  const auto look = [&](const TaskRef& before) {
    if (!before->has_ended() && later.contains(&*before)) cause = &*before;
  };
  ForEachOnTheWay(block, [&](const BlockRecord& other) {
    other.order.ForEachBefore(&other == &block ? mode : Mode::kInOut, look);
    if (other.reduction == nullptr || !other.reduction->is_open) return;
    for (const Reduction::Partial& partial : other.reduction->blocks) {
      if (partial.block != nullptr) partial.block->order.ForEachBefore(Mode::kIn, look);
    }
  });
  if (cause == nullptr) return absl::OkStatus();
  if (cause == &task || task.graph() != nullptr) return refused(", which it or its graph uses");
  return refused(": ", Describe(*cause), " comes after it, and before what is waited for");
}

absl::Status WaitGraph::CheckMayWaitFor(const Task& task, const Task& awaited) const {
  if (task.commutes()) {
    return RefusedWait(absl::StrCat(Describe(task), ": commutative tasks wait for no task"));
  }
  if (!AllAfter(task).contains(&awaited)) return absl::OkStatus();
  return RefusedWait(absl::StrCat(Describe(task), " would wait for itself: it ",
                                  &task == &awaited ? "is" : "comes before", " ",
                                  Describe(awaited)));
}

}  // namespace taskrt
