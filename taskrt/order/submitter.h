// Makes tasks of what is submitted: puts each into the order of its blocks (order/block_order.h),
// and asks the scheduler for its place.
//
// Of a block with a reduction (order/partials.h), tasks that add to it write partial blocks at the
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
#include "taskrt/dispatch/places.h"
#include "taskrt/dispatch/planned_replicas.h"
#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/order/block.h"
#include "taskrt/order/block_table.h"
#include "taskrt/order/task.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/plan/plan_recorder.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/transfer/mover.h"

namespace taskrt {

class GraphTasks;

// A value: a task as the user submits it.
struct Submission {
  const Kernel& kernel;
  std::span<const Access> accesses;
  std::span<const std::byte> scalars = {};
  int priority = 0;
  lwt::Event* ended = nullptr;
};

// A broken contract: more accesses or scalars than a task can have.
void CheckSizes(std::span<const Access> accesses, std::span<const std::byte> scalars);
// Adds the accesses to the task. A broken contract: a block twice, or one that has ended.
void AddAccesses(Task& task, std::span<const Access> accesses);

// A resource. What it is made of outlives it.
class Submitter {
 public:
  // Where tasks are entered. `plan`: null, or tasks are only planned.
  struct Books {
    TaskStore& tasks;
    BlockTable& blocks;
    PlannedReplicas& planned;
    TaskCounts& counts;
    PlanRecorder* plan;
    bool traces;  // each run of a graph's task has an index of its own
  };
  Submitter(const Places& places, Scheduler& scheduler, Mover& mover, const Books& books)
      : places_(places), scheduler_(scheduler), mover_(mover), books_(books) {}

  // A task of the user's.
  void Submit(const Submission& submission, TaskList& ready);
  // Submit in two steps: between New and Enter the caller may set what only it knows of the task.
  Task& New(const Submission& submission, TaskList& ready);
  void Enter(Task& task, TaskList& ready);
  // A wait or a prefetch, which computes nothing: New, then EnterAt.
  Task& New(TaskKind kind, const Access& access, TaskList& ready);
  void EnterAt(Place place, Task& task, TaskList& ready);
  // A run of a graph is one task, `whole`, that accesses all of the graph's blocks; the graph's
  // own tasks get their indexes and places here, and are in no block's order.
  Task& NewRun(GraphTasks& graph, const Kernel& whole, TaskList& ready);
  void EnterRun(GraphTasks& graph, Task& whole, TaskList& ready);

  // The block's reduction may begin: tasks that add to it get so many partial blocks on the host.
  void SetReduction(Block& block, const Kernel& initialize, const Kernel& combine, int workers);
  // Submits the tasks that add the block's partial blocks to it.
  void Combine(Block& block, int priority, TaskList& ready);
  void CombineAll(TaskList& ready);
  // Has a block been added to that was not combined yet?
  bool HasOpenReductions() const { return !open_reductions_.empty(); }

  // The task, if it has not ended; else null. Looks at all tasks.
  Task* Find(SubmitIndex index) { return books_.tasks.Find(index); }

 private:
  static Kernel Nothing(std::string name) {
    return Kernel(std::move(name)).OnHost([](auto, auto) { return absl::OkStatus(); });
  }
  Task& NewTask(TaskKind kind, const Kernel& kernel, std::span<const std::byte> scalars = {});
  Task& NewOne(const Submission& submission, TaskList& ready);
  void EnterOne(Task& task, TaskList& ready);
  Place PlaceFor(const Task& task);
  void SetPlace(Task& task, Place place);
  void UsePartials(Task& task, Place place, TaskList& ready);
  Block& PartialOf(Block& block, std::size_t index);
  void Plan(Task& task, Place place);

  const Places& places_;
  Scheduler& scheduler_;
  Mover& mover_;
  const Books books_;
  const Kernel wait_on_ = Nothing("wait_on"), prefetch_ = Nothing("prefetch");
  SubmitIndex submitted_ = 0;
  std::uint64_t numbers_ = 0;
  std::vector<Block*> open_reductions_;
};

}  // namespace taskrt
