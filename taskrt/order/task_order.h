// The order of a runtime's tasks, their places, and the waits of tasks for each other: one lock and
// all that it guards. Schedulers are asked under it, as they read where blocks are planned to be.
//
// Locks, in the order in which a thread takes them: a device's (transfer/device_cache.h), a
// block's, this one, and then FutureUses' or FirstError's, under which no other is taken, as under
// Outcomes', Kept's and CommutativeTasks'. This lock
// is held for no wait and no copy. Tasks that can begin are added to `ready`: the caller starts
// them when the function has returned.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/awaited.h"
#include "taskrt/handle.h"
#include "taskrt/order/block_table.h"
#include "taskrt/order/dispatcher.h"
#include "taskrt/order/first_error.h"
#include "taskrt/order/graph_tasks.h"
#include "taskrt/order/missing_values.h"
#include "taskrt/order/placement.h"
#include "taskrt/order/planned_replicas.h"
#include "taskrt/order/submitter.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/order/task_marks.h"
#include "taskrt/order/wait_graph.h"
#include "taskrt/plan/plan_recorder.h"
#include "taskrt/task/block.h"
#include "taskrt/task/reduction.h"
#include "taskrt/task/task.h"
#include "taskrt/transfer/mover.h"
#include "topo/mutex.h"

namespace taskrt {

// How a block gets other memory: where it is, or once it has left the devices.
enum class Resizing { kInPlace, kOffTheDevices };
// How often Runtime::Wait has waited for all tasks.
enum class WaitRound { kFirst, kLater };

// A resource. What it is made of outlives it.
class TaskOrder {
 public:
  struct Parts {
    const Places& places;
    Scheduler& scheduler;
    Mover& mover;
    TaskCounts& counts;
    const TaskMarks& marks;
  };
  struct Options {
    int tasks_in_flight = 0;  // of a device; 0: as many as it asks for
    bool host_priorities = false;
    bool only_plans = false;
    bool traces = false;
  };
  TaskOrder(const Parts& parts, const Options& options);

  // Blocks: as Runtime's functions of these names, in steps, between which copies are made.
  Handle Register(std::string name, const Tile& tile, int owner);
  void SetReduction(Handle handle, const Kernel& initialize, const Kernel& combine, int workers);
  std::vector<Handle> Divide(Handle handle, std::uint64_t rows, std::uint64_t row_bytes);
  Tile TileOf(Handle handle) const {
    const topo::Lock lock(mutex_);
    return blocks_.Own(handle).host;
  }
  std::string NameOf(Handle handle) const {
    const topo::Lock lock(mutex_);
    return blocks_.Own(handle).name;
  }
  // A broken contract: tasks use the block.
  // Returns the block and its parts.
  std::vector<BlockRecord*> BeginUnregister(Handle handle);
  // True: the block has ended. It had no tasks, and its value has never left the host.
  bool TryUnregister(Handle handle);
  void EndUnregister(Handle handle);
  // Between the two calls the block leaves the devices, where BeginResize says so.
  absl::StatusOr<Resizing> BeginResize(Handle handle);
  absl::Status EndResize(Handle handle, const Tile& tile, Resizing resizing);
  // The block's partial blocks, if no task adds to it. Tasks that another thread submits meanwhile
  // get others.
  std::vector<Reduction::Partial> TakePartials(Handle handle);
  void End(Reduction::Partial& partial);

  // Tasks.
  Submitter::Submitted Submit(const Submission& submission, TaskList& ready) {
    const topo::Lock lock(mutex_);
    return submitter_.Submit(submission, ready);
  }
  // FailedPrecondition, here and below, such that IsRefusedWait (wait_graph.h): a task asks for a
  // wait that could never end. Nothing was submitted then.
  absl::Status SubmitAwaited(const Submission& submission, Awaited& awaited, TaskList& ready);
  // The index of the task that waits.
  absl::StatusOr<SubmitIndex> SubmitWaitOn(const Access& access, Awaited& awaited, TaskList& ready);
  // False: the task has ended already, and nothing was submitted.
  absl::StatusOr<bool> SubmitWaitFor(const Completion& completion, Awaited& awaited,
                                     TaskList& ready);
  void SubmitPrefetch(Handle handle, Place place, TaskList& ready);
  void AddToGraph(GraphTasks& graph, const Submission& submission) {
    const topo::Lock lock(mutex_);
    graph.Add(submission, blocks_);
  }
  // `whole`: the kernel that runs the graph's tasks. `awaited`: null: the caller does not wait.
  // FailedPrecondition: the graph runs already.
  absl::StatusOr<Submitter::Submitted> SubmitRun(GraphTasks& graph, const Kernel& whole,
                                                 Awaited* awaited, TaskList& ready);
  // `run`, a task of that kind, ends now.
  void EndRun(const Task& run);
  void CombineAll(TaskList& ready) {
    const topo::Lock lock(mutex_);
    submitter_.CombineAll(ready);
  }

  // Requests that tasks be left out (completion.h).
  bool HasEnded(const Completion& completion) const {
    const topo::Lock lock(mutex_);
    return Submitter::Find(completion) == nullptr;
  }
  // True: the task has not ended.
  bool Cancel(const Completion& completion);
  // Is the task, which could begin now, left out? It was asked for, or a task was left out from
  // which it reads. The values that it is to write are missing then.
  bool IsLeftOut(const Task& task);
  // The task has failed: what it was to write is missing.
  void MissOutputs(const Task& task);
  // A task that passes a value between a block and its parts runs: that may be missing. A task that
  // only waits for one.
  void PassMissing(const Task& task);
  void ReadMissing(const Task& task);
  // Cancelled: the value is missing. With kInOut the caller makes another.
  absl::Status TakeMissing(Handle handle, Mode mode);

  // Waits.
  bool IsInTask() {
    const topo::Lock lock(mutex_);
    return RunningTask() != nullptr;
  }
  absl::Status CheckMayWaitForAll();
  // Takes the error if all tasks have ended. False: tasks have added to blocks meanwhile, or were
  // submitted; the caller waits again. After the first round the partial blocks of the tasks before
  // Wait have been combined, so that true is returned nevertheless, unless there is an error: an
  // error leaves tasks out, and the caller would never learn of it.
  bool TryTake(FirstError& error, WaitRound round, absl::Status& taken);
  // The awaited task has ended, or was left out.
  void EndWait(const Awaited& awaited);
  // The blocks whose newest value may be elsewhere and is to be in the user's memory.
  std::vector<BlockRecord*> PlanWriteBack();
  void PlanWait() {
    const topo::Lock lock(mutex_);
    plan_.AddWait(blocks_.blocks());
  }

  // The task's device is lost: it runs at `place`.
  void Move(Task& task, Place place) {
    const topo::Lock lock(mutex_);
    placement_.Commit(task, place);
  }
  // As Placement's.
  void CommitLate(const Task& task) {
    const topo::Lock lock(mutex_);
    placement_.CommitLate(task);
  }

  // Dispatch: `use(dispatcher)`.
  template <typename Use>
  auto Dispatch(Use use) {
    const topo::Lock lock(mutex_);
    return use(dispatcher_);
  }

  // As Runtime's.
  std::vector<Place> places() const {
    const topo::Lock lock(mutex_);
    return placement_.places();
  }
  CopyCount least() const {
    const topo::Lock lock(mutex_);
    return planned_.least();
  }
  absl::StatusOr<CopyPlan> Plan(const PlanOptions& options) const {
    const topo::Lock lock(mutex_);
    return plan_.Plan(blocks_.blocks(), options);
  }

 private:
  Task* RunningTask() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckMayWaitFor(const Access& access, const Task* waiter) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Await(SubmitIndex index, const Task* waiter, Awaited& awaited)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasPartials(const BlockRecord& block) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndRequests() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mover& mover_;
  const TaskCounts& counts_;
  const TaskMarks& marks_;

  mutable topo::Mutex mutex_;
  TaskStore tasks_ ABSL_GUARDED_BY(mutex_);  // before the blocks, which refer to tasks
  BlockTable blocks_ ABSL_GUARDED_BY(mutex_);
  PlannedReplicas planned_ ABSL_GUARDED_BY(mutex_);
  Placement placement_ ABSL_GUARDED_BY(mutex_);
  PlanRecorder plan_ ABSL_GUARDED_BY(mutex_);  // where only_plans
  Submitter submitter_ ABSL_GUARDED_BY(mutex_);
  WaitGraph waits_ ABSL_GUARDED_BY(mutex_);
  Dispatcher dispatcher_ ABSL_GUARDED_BY(mutex_);
  std::unordered_set<SubmitIndex> requested_ ABSL_GUARDED_BY(mutex_);  // to be left out
  MissingValues missing_ ABSL_GUARDED_BY(mutex_);                      // since the last Wait
};

}  // namespace taskrt
