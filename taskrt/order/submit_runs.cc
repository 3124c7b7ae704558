// Runs of graphs (submitter.h). In a file of their own, so that the compiler makes one function of
// what each task does to the orders of its blocks.
#include "taskrt/order/graph_tasks.h"
#include "taskrt/order/submitter.h"

namespace taskrt {

Task& Submitter::NewRun(GraphTasks& graph, const Kernel& whole, TaskList& ready) {
  graph.ForEachBlock([&](Handle handle, Mode) { Combine(BlockTable::Of(handle), 0, ready); });
  return NewTask(TaskKind::kGraph, whole);
}

void Submitter::EnterRun(GraphTasks& graph, Task& whole, TaskList& ready) {
  books_.counts.Begin();
  const TaskRef ref(whole);
  graph.ForEachBlock([&](Handle handle, Mode mode) {
    BlockTable::Of(handle).order.Add(
        ref, mode, [&](const TaskRef& other) { whole.ComeAfter(*other); },
        [](const TaskRef& other) { return other->has_ended(); });
  });
  books_.planned.CommitPlacement(whole, kHost);
  // On the host alone all is as it was at the run before.
  const bool is_fixed = places_.device_count() == 0 && !books_.traces;
  if (is_fixed && graph.IsPreparedFor(books_.blocks.moves())) {
    submitted_ += graph.size();
  } else {
    graph.Prepare(books_.blocks.moves(), [&](Task& task) {
      task.submit_index = ++submitted_;
      task.number = ++numbers_;
      SetPlace(task, PlaceFor(task));
    });
  }
  if (whole.Submitted()) ready.Add(whole);
}

}  // namespace taskrt
