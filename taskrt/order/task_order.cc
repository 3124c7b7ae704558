#include "taskrt/order/task_order.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "taskrt/task/describe.h"

namespace taskrt {

TaskOrder::TaskOrder(const Parts& parts, const Options& options)
    : mover_(parts.mover),
      counts_(parts.counts),
      marks_(parts.marks),
      blocks_(parts.places.device_count(),
              options.only_plans ? EndedBlocks::kAreKept : EndedBlocks::kAreUsedAgain),
      placement_(planned_, parts.places.device_count() == 0 ? Devices::kNone : Devices::kSome,
                 options.host_priorities ? HostTasks::kAll : HostTasks::kWithPriority),
      submitter_(parts.places, parts.scheduler, parts.mover,
                 {.tasks = tasks_,
                  .blocks = blocks_,
                  .placement = placement_,
                  .counts = parts.counts,
                  .plan = options.only_plans ? &plan_ : nullptr,
                  .traces = options.traces}),
      dispatcher_(parts.scheduler, parts.places, placement_, options.tasks_in_flight) {}

absl::Status TaskOrder::SubmitAwaited(const Submission& submission, Awaited& awaited,
                                      TaskList& ready) {
  const topo::Lock lock(mutex_);
  const Task* const waiter = RunningTask();
  for (const Access& access : submission.accesses) {
    if (absl::Status may = CheckMayWaitFor(access, waiter); !may.ok()) return may;
  }
  const TaskOptions options = {.ended = &awaited.ended_};
  const Submission of_awaited = {submission.kernel, submission.accesses, submission.scalars,
                                 options};
  Await(submitter_.Submit(of_awaited, ready).index, waiter, awaited);
  return absl::OkStatus();
}

absl::StatusOr<SubmitIndex> TaskOrder::SubmitWaitOn(const Access& access, Awaited& awaited,
                                                    TaskList& ready) {
  const topo::Lock lock(mutex_);
  const Task* const waiter = RunningTask();
  if (absl::Status may = CheckMayWaitFor(access, waiter); !may.ok()) return may;
  const SubmitIndex index = submitter_.SubmitWaitOn(access, awaited.ended_, ready);
  Await(index, waiter, awaited);
  return index;
}

absl::StatusOr<bool> TaskOrder::SubmitWaitFor(const Completion& completion, Awaited& awaited,
                                              TaskList& ready) {
  const topo::Lock lock(mutex_);
  Task* const task = Submitter::Find(completion);
  if (task == nullptr) return false;
  const Task* const waiter = RunningTask();
  if (waiter != nullptr) {
    if (absl::Status may = waits_.CheckMayWaitFor(*waiter, *task); !may.ok()) return may;
  }
  Await(submitter_.SubmitWaitFor(*task, awaited.ended_, ready), waiter, awaited);
  return true;
}

void TaskOrder::SubmitPrefetch(Handle handle, Place place, TaskList& ready) {
  const topo::Lock lock(mutex_);
  if (!mover_.CanHold(place, blocks_.Own(handle).host.bytes())) return;
  submitter_.SubmitPrefetch(handle, place, ready);
}

absl::StatusOr<Submitter::Submitted> TaskOrder::SubmitRun(GraphTasks& graph, const Kernel& whole,
                                                          Awaited* awaited, TaskList& ready) {
  const topo::Lock lock(mutex_);
  if (graph.run() != nullptr) {
    return absl::FailedPreconditionError("the graph runs already: its runs follow each other");
  }
  const Task* const waiter = awaited == nullptr ? nullptr : RunningTask();
  absl::Status may;
  graph.ForEachBlock([&](Handle handle, Mode mode) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (may.ok()) may = CheckMayWaitFor({handle, mode}, waiter);
  });
  if (!may.ok()) return may;
  waits_.BeginRun(graph);
  lwt::Event* const ended = awaited == nullptr ? nullptr : &awaited->ended_;
  const Submitter::Submitted run = submitter_.SubmitRun(graph, whole, ended, ready);
  if (awaited != nullptr) Await(run.index, waiter, *awaited);
  return run;
}

void TaskOrder::EndRun(const Task& run) {
  const topo::Lock lock(mutex_);
  waits_.EndRun(run);
}

bool TaskOrder::Cancel(const Completion& completion) {
  const topo::Lock lock(mutex_);
  const Task* const task = Submitter::Find(completion);
  if (task == nullptr) return false;
  requested_.insert(completion.index_);
  return true;
}

// A task of a graph is asked to be left out as the graph's run is.
bool TaskOrder::IsLeftOut(const Task& task) {
  const topo::Lock lock(mutex_);
  bool is_left_out = requested_.contains(OutermostOf(task).submit_index);
  if (task.graph() == nullptr) requested_.erase(task.submit_index);
  for (const TaskAccess& access : task.accesses()) {
    is_left_out = missing_.IsMissingFor(access) || is_left_out;
  }
  for (const TaskAccess& access : task.accesses()) {
    is_left_out ? missing_.LeftOut(access) : missing_.Written(access);
  }
  return is_left_out;
}

void TaskOrder::MissOutputs(const Task& task) {
  const topo::Lock lock(mutex_);
  for (const TaskAccess& access : task.accesses()) missing_.Failed(access);
}

void TaskOrder::PassMissing(const Task& task) {
  const topo::Lock lock(mutex_);
  missing_.Pass(task.accesses());
}

void TaskOrder::ReadMissing(const Task& task) {
  const topo::Lock lock(mutex_);
  for (const TaskAccess& access : task.accesses()) (void)missing_.IsMissingFor(access);
}

absl::Status TaskOrder::TakeMissing(Handle handle, Mode mode) {
  const topo::Lock lock(mutex_);
  BlockRecord& block = blocks_.Own(handle);
  if (!missing_.IsMissingFor({&block, mode})) return absl::OkStatus();
  if (Writes(mode)) missing_.Forget(block);
  return absl::CancelledError(
      absl::StrCat("a task that was to write block ", block.name, " was left out or has failed"));
}

void TaskOrder::EndRequests() {
  requested_.clear();
  missing_ = {};
}

// Null: the calling thread works for none of this runtime's tasks, or that has ended.
Task* TaskOrder::RunningTask() {
  if (Task* const task = marks_.Running()) return task;
  const std::optional<SubmitIndex> index = marks_.Inherited();
  if (!index) return nullptr;
  Task* const task = submitter_.Find(*index);
  return task != nullptr ? task : waits_.FindInGraphs(*index);
}

// OK, too, if `waiter` is null: no task waits.
absl::Status TaskOrder::CheckMayWaitFor(const Access& access, const Task* waiter) const {
  if (waiter == nullptr) return absl::OkStatus();
  return waits_.CheckMayWaitFor(*waiter, blocks_.Own(access.handle), access.mode);
}

// `waiter`, or no task if that is null, will wait for the end of the task of that index, which was
// submitted just now.
void TaskOrder::Await(SubmitIndex index, const Task* waiter, Awaited& awaited) {
  if (waiter == nullptr) return;
  awaited.by_task_ = true;
  awaited.submit_index_ = index;
  if (waiter->takes_slot()) awaited.left_slot_ = waiter->slot_at;
  waits_.Add(index, *waiter);
}

void TaskOrder::EndWait(const Awaited& awaited) {
  const topo::Lock lock(mutex_);
  if (awaited.left_slot_ != kWhenReady) dispatcher_.ReturnSlot(awaited.left_slot_);
  waits_.Remove(awaited.submit_index_);
}

absl::Status TaskOrder::CheckMayWaitForAll() {
  const topo::Lock lock(mutex_);
  const Task* const task = RunningTask();
  if (task == nullptr) return absl::OkStatus();
  return RefusedWait(
      absl::StrCat(Describe(*task), " would wait for itself: Wait is not called by tasks"));
}

bool TaskOrder::TryTake(FirstError& error, WaitRound round, absl::Status& taken) {
  const topo::Lock lock(mutex_);
  if (submitter_.HasOpenReductions() || counts_.outstanding() > 0) {
    return round == WaitRound::kLater && error.status().ok();
  }
  EndRequests();
  taken = error.Take();
  return true;
}

}  // namespace taskrt
