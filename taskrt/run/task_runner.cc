#include "taskrt/run/task_runner.h"

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/spawn.h"
#include "lwt/thread.h"
#include "taskrt/order/graph_tasks.h"
#include "taskrt/task/describe.h"

namespace taskrt {

bool TaskRunner::IsInside() const {
  const lwt::Worker* const worker = lwt::Worker::Current();
  return worker != nullptr && &worker->pool() == &parts_.pool;
}

absl::Status TaskRunner::Open() {
  if (parts_.is_simulated) return absl::OkStatus();
  try {
    injector_ = std::make_unique<Injector>(parts_.pool, [this](Task& next) { Spawn(next); });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot start the OS thread for tasks from outside of the pool: ", error.what(),
        " (ulimit -u, ulimit -v or a container's pids.max may be the reason)"));
  }
  return absl::OkStatus();
}

// A commutative task first acquires the blocks that it changes in any order.
void TaskRunner::Start(Task& task) {
  if (!task.commutes() || commutative_.Acquire(task)) StartNow(task);
}

void TaskRunner::StartNow(Task& task) {
  if (!task.takes_slot()) return Spawn(task);
  parts_.order.Dispatch([&](Dispatcher& dispatcher) { dispatcher.Add(task); });
  StartTaken();
}

void TaskRunner::StartTaken() {
  const std::vector<Task*> taken =
      parts_.order.Dispatch([](Dispatcher& dispatcher) { return dispatcher.TakeAll(); });
  for (Task* const task : taken) Spawn(*task);
}

void TaskRunner::Spawn(Task& task) {
  if (IsInside()) {
    // A type of this function alone, as a lambda's is, so that the compiler makes one function of
    // it.
    struct Body : TaskThread {
      TaskRunner& runner;
      void operator()() { runner.RunChain(*this); }
    };
    lwt::Spawn(Body{{parts_.marks, &task}, *this}, {.name = TaskThread::kName}).Detach();
    return;
  }
  lwt::CheckContract(!parts_.is_simulated, "tasks come from inside of a pool that is simulated");
  injector_->Add(task);
}

[[gnu::cold, gnu::noinline]] void TaskRunner::Fail(const Task& task, const absl::Status& status) {
  absl::Status error(status.code(), absl::StrCat(Describe(task), ": ", status.message()));
  parts_.outcomes.AddError(OutermostOf(task).submit_index, error);
  if (!parts_.stops_at_errors) parts_.order.MissOutputs(task);
  parts_.error.Report(std::move(error), parts_.stops_at_errors ? AfterAnError::kAllAreLeftOut
                                                               : AfterAnError::kOthersRun);
}

// Some task has failed, or is to be left out.
[[gnu::cold, gnu::noinline]] bool TaskRunner::IsLeftOut(const Task& task) {
  const bool has_failed = parts_.error.has_failed();
  switch (task.kind) {
    case TaskKind::kPass:  // Where the newest value is would be unknown.
      parts_.order.PassMissing(task);
      return false;
    case TaskKind::kWaitOn:
    case TaskKind::kPrefetch:
      parts_.order.ReadMissing(task);
      return has_failed;
    case TaskKind::kGraph:  // Its tasks are left out one by one.
      if (!has_failed) return false;
      break;
    case TaskKind::kComputes:
      if (!has_failed && !parts_.order.IsLeftOut(task)) return false;
      break;
  }
  parts_.outcomes.AddLeftOut(OutermostOf(task).submit_index, parts_.error.status());
  parts_.error.AddLeftOut([&] { return Describe(task); });
  return true;
}

// The task, unless it is left out, and what its place's slot is to others then.
[[gnu::always_inline]] inline void TaskRunner::RunOne(Task& task) {
  std::optional<double> seconds;
  if (parts_.error.is_clear() || !IsLeftOut(task)) [[likely]] {
    const absl::Status status = executor_.Run(task, seconds);
    if (!status.ok()) [[unlikely]] {
      Fail(task, status);
    }
  }
  if (parts_.recorder != nullptr) parts_.recorder->EndOf(task.submit_index);
  parts_.mover.Retire(task);
  if (!task.takes_slot()) return;
  parts_.order.Dispatch([&](Dispatcher& dispatcher) { dispatcher.Ended(task, seconds); });
}

// Calls `begin(task)` for each that can begin now; the task's place may be another's then. After
// the last task the runtime may be gone, or the graph's run: so `before_last()` is called before.
template <typename Begin, typename BeforeLast>
[[gnu::always_inline]] inline void TaskRunner::End(Task& task, Begin begin,
                                                   BeforeLast before_last) {
  if (GraphTasks* const graph = task.graph()) {
    const bool is_last = task.EndForNow(begin);
    before_last();
    if (is_last) graph->LastEnded();
    return;
  }
  lwt::Event* const ended = task.ended;
  if (task.kind == TaskKind::kGraph) [[unlikely]] {
    parts_.order.EndRun(task);
  }
  task.End(begin);
  if (ended != nullptr) ended->Set();
  before_last();
  parts_.counts.End();
}

// The task, and of those that can begin then one, and so on: a chain of tasks is one thread.
void TaskRunner::RunChain(TaskThread& thread) {
  std::uint64_t& inherited = lwt::Inherited();
  Task* next = thread.task;
  while (next != nullptr) {
    Task& task = *std::exchange(next, nullptr);
    thread.task = &task;
    inherited = parts_.marks.Of(task.submit_index);
    // Slots are given when all that can begin now is known: by priority, whatever came first.
    bool changes_slots = task.takes_slot();
    RunOne(task);
    const auto begin_now = [&](Task& ready) {
      if (ready.takes_slot()) {
        parts_.order.Dispatch([&](Dispatcher& dispatcher) { dispatcher.Add(ready); });
        changes_slots = true;
      } else if (next != nullptr) {
        Spawn(ready);
      } else {
        next = &ready;
      }
    };
    const auto begin = [&](Task& ready) {
      if (!ready.commutes() || commutative_.Acquire(ready)) begin_now(ready);
    };
    if (task.commutes()) commutative_.Release(task, begin_now);
    End(task, begin, [&] {
      if (changes_slots) StartTaken();
    });
  }
}

// While a task waits, its slot is free for others: they may be what it waits for. Of a task's
// threads each that waits leaves a slot, so that more may begin than usual. The task itself has
// ended meanwhile if it does not wait for the thread that calls this.
void TaskRunner::WaitFor(Awaited& awaited, const char* what) {
  if (!awaited.by_task_) return awaited.ended_.Wait(what);
  if (awaited.left_slot_ != kWhenReady) {
    parts_.order.Dispatch(
        [&](Dispatcher& dispatcher) { dispatcher.LeaveSlot(awaited.left_slot_); });
    StartTaken();
  }
  awaited.ended_.Wait(what);
  parts_.order.EndWait(awaited);
}

void TaskRunner::WaitBy(const std::function<void()>& wait) {
  const Task* const task = parts_.marks.Running();
  if (task == nullptr || !task->takes_slot()) return wait();
  const Place place = task->slot_at;
  parts_.order.Dispatch([&](Dispatcher& dispatcher) { dispatcher.LeaveSlot(place); });
  StartTaken();
  wait();
  parts_.order.Dispatch([&](Dispatcher& dispatcher) { dispatcher.ReturnSlot(place); });
}

}  // namespace taskrt
