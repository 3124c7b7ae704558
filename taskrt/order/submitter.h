// Makes tasks of what is submitted: puts each into the order of its blocks (task/block_order.h),
// and asks the scheduler for its place.
//
// Of a block with a reduction (task/partials.h), tasks that add to it write partial blocks at the
// same time; a task that uses the block in another way comes after tasks that combine those.
//
// A task that can begin is added to `ready`; the caller starts it without the order lock.
//
// Threads: one at a time; TaskOrder guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lwt/event.h"
#include "taskrt/completion.h"
#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/order/block_table.h"
#include "taskrt/order/placement.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/plan/plan_recorder.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/task/block.h"
#include "taskrt/task/places.h"
#include "taskrt/task/submission.h"
#include "taskrt/task/task.h"
#include "taskrt/transfer/mover.h"

namespace taskrt {

class GraphTasks;

// A resource. What it is made of outlives it.
class Submitter {
 public:
  // Where tasks are entered. `plan`: null, or tasks are only planned.
  struct Books {
    TaskStore& tasks;
    BlockTable& blocks;
    Placement& placement;
    TaskCounts& counts;
    PlanRecorder* plan;
    bool traces;  // each run of a graph's task has an index of its own
  };
  Submitter(const Places& places, Scheduler& scheduler, Mover& mover, const Books& books)
      : places_(places), scheduler_(scheduler), mover_(mover), books_(books) {}

  // A value: a task, whose place may be another's by now. Null, where tasks are only planned.
  struct Submitted {
    Task* task = nullptr;
    SubmitIndex index = 0;
  };
  Submitted Submit(const Submission& submission, TaskList& ready);
  // Each returns the task's index. `ended`: set when the task has ended or was left out.
  //
  // A task that computes nothing: its end is after those of the tasks that it waits for.
  SubmitIndex SubmitWaitOn(const Access& access, lwt::Event& ended, TaskList& ready);
  SubmitIndex SubmitWaitFor(Task& task, lwt::Event& ended, TaskList& ready);
  SubmitIndex SubmitPrefetch(Handle handle, Place place, TaskList& ready);
  // A run of a graph is one task, of the kernel `whole`, that accesses all of the graph's blocks;
  // the graph's own tasks get their indexes and places here, and are in no block's order.
  // `ended`: null: nobody waits.
  Submitted SubmitRun(GraphTasks& graph, const Kernel& whole, lwt::Event* ended, TaskList& ready);

  // Divides the block, which no task of a graph uses, into parts of so many rows of so many bytes,
  // or less at its ends, row by row.
  std::vector<BlockRecord*> Divide(BlockRecord& whole, std::uint64_t rows, std::uint64_t row_bytes);

  // The block's reduction may begin: tasks that add to it get so many partial blocks on the host.
  void SetReduction(BlockRecord& block, const Kernel& initialize, const Kernel& combine,
                    int workers);
  // Submits the tasks that add the block's partial blocks to it.
  void Combine(BlockRecord& block, int priority, TaskList& ready);
  void CombineAll(TaskList& ready);
  // Has a block been added to that was not combined yet?
  bool HasOpenReductions() const { return !open_reductions_.empty(); }

  // The task, if it has not ended; else null. Looks at all tasks.
  Task* Find(SubmitIndex index) { return books_.tasks.Find(index); }
  // Of the completion, at once.
  static Task* Find(const Completion& completion) {
    Task* const task = completion.task_;
    const bool is_it = task != nullptr && task->submit_index == completion.index_;
    return is_it && !task->has_ended() ? task : nullptr;
  }

 private:
  static Kernel Nothing(std::string name) {
    return Kernel(std::move(name)).OnHost([](auto, auto) { return absl::OkStatus(); });
  }
  Task& NewTask(TaskKind kind, const Kernel& kernel, std::span<const std::byte> scalars = {});
  Task& NewTask(TaskKind kind, const Kernel& kernel, const Access& access, TaskList& ready);
  void Enter(Task& task, Place place, TaskList& ready);
  static void ComeAfterAll(Task& task, std::span<const Completion> others);
  void MakeAllCurrent(std::span<const Access> accesses, TaskList& ready);
  void MakeCurrent(BlockRecord& block, TaskList& ready);
  void Join(BlockRecord& whole, TaskList& ready);
  void Pass(BlockRecord& whole, Mode of_whole, std::span<BlockRecord* const> parts, Mode of_parts,
            TaskList& ready);
  Place PlaceFor(Task& task, Place asked = kAnyPlace);
  void SetPlace(Task& task, Place place);
  void UsePartials(Task& task, Place place, TaskList& ready);
  BlockRecord& PartialOf(BlockRecord& block, std::size_t index);
  void Plan(Task& task, Place place);

  const Places& places_;
  Scheduler& scheduler_;
  Mover& mover_;
  const Books books_;
  const Kernel wait_on_ = Nothing("wait_on"), prefetch_ = Nothing("prefetch");
  const Kernel divide_ = Nothing("divide"), join_ = Nothing("join");
  bool has_divisions_ = false;
  SubmitIndex submitted_ = 0;
  std::uint64_t numbers_ = 0;
  std::vector<BlockRecord*> open_reductions_;
};

}  // namespace taskrt
