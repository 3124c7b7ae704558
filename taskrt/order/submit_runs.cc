// Runs of graphs (submitter.h). In a file of their own: with a second use of BlockOrder::Add in
// submitter.cc, gcc does not inline it into Submitter::Enter, and a task costs 9 % more
// instructions.
#include "taskrt/order/graph_tasks.h"
#include "taskrt/order/submitter.h"

namespace taskrt {

Submitter::Submitted Submitter::SubmitRun(GraphTasks& graph, const Kernel& whole, lwt::Event* ended,
                                          TaskList& ready) {
  if (has_divisions_) {
    std::vector<Access> accesses;
    graph.ForEachBlock([&](Handle handle, Mode mode) { accesses.push_back({handle, mode}); });
    MakeAllCurrent(accesses, ready);
  }
  graph.ForEachBlock([&](Handle handle, Mode) { Combine(BlockTable::Of(handle), 0, ready); });
  Task& run = NewTask(TaskKind::kGraph, whole);
  const SubmitIndex index = run.submit_index;
  run.ended = ended;
  graph.Begin(run);
  books_.counts.Begin();
  const TaskRef ref(run);
  graph.ForEachBlock([&](Handle handle, Mode mode) {
    BlockTable::Of(handle).order.Add(
        ref, mode, [&](const TaskRef& other) { run.ComeAfter(*other); },
        [](const TaskRef& other) { return other->has_ended(); });
  });
  books_.placement.Commit(run, kHost);
  // On the host alone all is as it was at the run before.
  const bool is_fixed = places_.device_count() == 0 && !books_.traces;
  if (is_fixed && graph.IsPreparedFor(books_.blocks.moves())) {
    submitted_ += graph.size();
  } else {
    graph.Prepare(books_.blocks.moves(), [&](Task& task, Place asked) {
      task.submit_index = ++submitted_;
      task.number = ++numbers_;
      SetPlace(task, PlaceFor(task, asked));
    });
  }
  if (run.Submitted()) ready.Add(run);
  return {&run, index};
}

}  // namespace taskrt
