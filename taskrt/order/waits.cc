// Waiting for all tasks, for those of a block or of a graph. A wait of a task that could never end
// is refused.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lwt/spawn.h"
#include "lwt/thread.h"
#include "taskrt/graph.h"
#include "taskrt/order/describe.h"
#include "taskrt/runtime.h"
#include "topo/mutex.h"

namespace taskrt {

absl::Status Runtime::Wait() {
  if (only_plans_) {
    CombineAll();
    const topo::Lock lock(order_mutex_);
    plan_.AddWait(blocks_.blocks());
    return absl::OkStatus();
  }
  if (!IsInside()) return pool_->Run([this] { return Wait(); });
  {
    const topo::Lock lock(order_mutex_);
    if (const Task* const task = RunningTask()) {
      return RefusedWait(
          absl::StrCat(Describe(*task), " would wait for itself: Wait is not called by tasks"));
    }
  }
  absl::Status status;
  int rounds = 0;
  do {
    CombineAll();
    unfinished_.WaitForNone();
  } while (!TakeError(status, ++rounds > 1));
  status.Update(BringAllHome());
  return status;
}

// False: tasks have added to blocks meanwhile, or others have come. Then all is waited for again:
// in the second round what came of the tasks before Wait has been combined, so that `may_go_on`;
// but not while there is something that an error left out, or nobody would know of it.
bool Runtime::TakeError(absl::Status& error, bool may_go_on) {
  const topo::Lock lock(order_mutex_);
  if (!open_reductions_.empty() || unfinished_.count() > 0)
    return may_go_on && error_.status().ok();
  error = error_.Take();
  return true;
}

// Several at a time, so that the links of all devices are busy.
absl::Status Runtime::BringAllHome() {
  std::vector<Block*> blocks;
  {
    const topo::Lock lock(order_mutex_);
    for (const auto& block : blocks_.blocks()) {
      const bool is_wanted = block->is_registered && !block->is_partial;
      if (!is_wanted || !block->has_been_on_device) continue;
      planned_replicas_.Read(*block, kHost);
      blocks.push_back(block.get());
    }
  }
  constexpr std::size_t kAtOnce = 4;  // of a device
  std::atomic<std::size_t> next{0};
  absl::Status status;
  lwt::Mutex mutex;
  const auto bring = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < blocks.size();) {
      const absl::Status home = mover_.BringHome(*blocks[i]);
      if (home.ok()) continue;
      const std::lock_guard lock(mutex);
      status.Update(home);
    }
  };
  std::vector<lwt::Thread> threads;
  for (std::size_t i = 0; i < std::min(blocks.size(), kAtOnce * devices_.size()); ++i) {
    threads.push_back(lwt::Spawn(bring));
  }
  for (lwt::Thread& thread : threads) thread.Join();
  return status;
}

// The task whose body calls this, or has started the thread that does, or one
// that has started that; null: none of this runtime's, or it has ended.
Task* Runtime::RunningTask() {
  const auto* const running = lwt::RunningBody<Running>(kTaskThread);
  if (running != nullptr && &running->runtime == this) return running->task;
  if (!lwt::IsLightweightThread()) return nullptr;
  const std::uint64_t inherited = lwt::Inherited();
  if (inherited >> kTurnBits != mark_ >> kTurnBits) return nullptr;
  const Turn turn = inherited - mark_;
  Task* const task = tasks_.Find(turn);
  return task != nullptr ? task : waits_.FindInGraphs(turn);
}

bool Runtime::IsInTask() {
  const topo::Lock lock(order_mutex_);
  return RunningTask() != nullptr;
}

// `task` is about to be submitted, and `waiter`, or no task if that is null,
// will wait for its end.
void Runtime::Await(Task& task, const Task* waiter, Awaited& awaited) {
  task.ended = &awaited.ended_;
  if (waiter == nullptr) return;
  awaited.by_task_ = true;
  awaited.turn_ = task.turn;
  if (waiter->is_counted) awaited.leaves_ = waiter->counted_at;
  waits_.Add(task.turn, *waiter);
}

// While a task waits its place is for others: they may be what it waits for. Of a task's threads
// each that waits leaves a place, so that more may begin than usual. The task itself has ended
// meanwhile if it does not wait for the thread that calls this.
void Runtime::WaitFor(Awaited& awaited, const char* what) {
  if (!awaited.by_task_) return awaited.ended_.Wait(what);
  const bool leaves = awaited.leaves_ != kWhenReady;
  if (leaves) {
    {
      const topo::Lock lock(order_mutex_);
      dispatcher_.LeaveSlot(awaited.leaves_);
    }
    StartReady();
  }
  awaited.ended_.Wait(what);
  const topo::Lock lock(order_mutex_);
  if (leaves) dispatcher_.ReturnSlot(awaited.leaves_);
  waits_.Remove(awaited.turn_);
}

absl::Status Runtime::WaitOn(Handle handle, Mode mode) {
  if (!IsInside()) return pool_->Run([&] { return WaitOn(handle, mode); });
  // A task that does nothing on the host: what others come before and after is known of tasks.
  Awaited awaited;
  TaskList ready;
  {
    const topo::Lock lock(order_mutex_);
    Block& block = BlockOf(handle);
    const Task* const waiter = RunningTask();
    if (waiter != nullptr) {
      if (absl::Status may = waits_.CheckMayWaitFor(*waiter, block, mode); !may.ok()) return may;
    }
    Combine(block, 0, ready);
    Task& task = NewTask(TaskKind::kWaitOn, look_);
    const Access access = {handle, mode};
    AddAccesses(task, std::span(&access, 1));
    Await(task, waiter, awaited);
    Enter(task, kHost, ready);
  }
  ready.ForEach([this](Task& task) { Start(task); });
  WaitFor(awaited, "the tasks of a block");
  return error_.status();
}

absl::Status Runtime::RunGraph(Graph& graph) {
  if (!IsInside()) return pool_->Run([&] { return RunGraph(graph); });
  Awaited awaited;
  if (absl::Status submitted = Submit(graph, awaited); !submitted.ok()) return submitted;
  WaitFor(awaited, "the tasks of a graph");
  {
    const topo::Lock lock(order_mutex_);
    graph.run_ = nullptr;
    waits_.EndRun(graph);
  }
  return error_.status();
}

}  // namespace taskrt
