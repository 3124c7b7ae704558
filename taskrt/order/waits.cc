// Waiting for all tasks, for those of a block or of a graph. A wait of a task that could never end
// is refused.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lwt/spawn.h"
#include "lwt/thread.h"
#include "taskrt/graph.h"
#include "taskrt/order/describe.h"
#include "taskrt/runtime.h"

namespace taskrt {

absl::Status Runtime::Wait() {
  if (only_plans_) {
    CombineAll();
    PlanHomecoming();
    return absl::OkStatus();
  }
  if (!IsInside()) return pool_->Run([this] { return Wait(); });
  {
    const std::lock_guard lock(order_mutex_);
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
  // First the one for which this thread may have to wait.
  const std::lock_guard lock(mutex_);
  const std::lock_guard order_lock(order_mutex_);
  if (!open_reductions_.empty() || unfinished_.count() > 0) return may_go_on && error_.ok();
  error = std::exchange(error_, absl::OkStatus());
  failed_.store(false, std::memory_order_release);
  return true;
}

// Several at a time, so that the links of all devices are busy.
absl::Status Runtime::BringAllHome() {
  std::vector<Block*> blocks;
  {
    const std::lock_guard lock(order_mutex_);
    for (const auto& block : blocks_) {
      const bool is_wanted = block->is_registered && !block->is_partial;
      if (!is_wanted || !block->has_been_on_device) continue;
      See(*block, kHost);
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

// Under order_mutex_. The task whose body calls this, or has started the thread that does, or one
// that has started that; null: none of this runtime's, or it has ended.
Task* Runtime::RunningTask() {
  const auto* const running = lwt::RunningBody<Running>(kTaskThread);
  if (running != nullptr && &running->runtime == this) return running->task;
  if (!lwt::IsLightweightThread()) return nullptr;
  const std::uint64_t inherited = lwt::Inherited();
  if (inherited >> kTurnBits != mark_ >> kTurnBits) return nullptr;
  const Turn turn = inherited - mark_;
  Task* task = tasks_.Find(turn);
  for (std::size_t i = 0; task == nullptr && i < running_graphs_.size(); ++i) {
    task = running_graphs_[i]->Find(turn);
  }
  return task;
}

bool Runtime::IsInTask() {
  const std::lock_guard lock(order_mutex_);
  return RunningTask() != nullptr;
}

// Under order_mutex_. Tasks that can only end after `task`: those that come after it, tasks whose
// bodies wait for one of these, and so on.
std::unordered_set<const Task*> Runtime::AllAfter(const Task& task) const {
  std::unordered_set<const Task*> all;
  std::vector<const Task*> left;
  const auto add = [&](const Task& one) {
    const Task& outer = one.graph() == nullptr ? one : one.graph()->whole();
    if (all.insert(&outer).second) left.push_back(&outer);
  };
  add(task);
  while (!left.empty()) {
    const Task& one = *left.back();
    left.pop_back();
    one.ForEachAfter(add);
    const auto found = waiters_.find(one.turn);
    if (found == waiters_.end()) continue;
    const Waiter& waiter = found->second;
    if (waiter.task->turn == waiter.turn && !waiter.task->has_ended()) add(*waiter.task);
  }
  return all;
}

absl::Status Runtime::RefusedWait(std::string_view message) {
  absl::Status refused = absl::FailedPreconditionError(std::string(message));
  refused.SetPayload("taskrt/refused_wait", {});
  return refused;
}

// Under order_mutex_. OK: a task that does this to the block may be waited for by `task`.
absl::Status Runtime::CheckMayWaitFor(const Task& task, const Block& block, Mode mode) const {
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
  block.order.ForEachBefore(mode, look);
  if (block.reduction != nullptr && block.reduction->is_open) {
    for (const Reduction::Partial& partial : block.reduction->blocks) {
      if (partial.block != nullptr) partial.block->order.ForEachBefore(Mode::kIn, look);
    }
  }
  if (cause == nullptr) return absl::OkStatus();
  if (cause == &task || task.graph() != nullptr) return refused(", which it or its graph uses");
  return refused(": ", Describe(*cause), " comes after it, and before what is waited for");
}

// Under order_mutex_. `task` is about to be submitted, and `waiter`, or no task if that is null,
// will wait for its end.
void Runtime::Await(Task& task, const Task* waiter, Awaited& awaited) {
  task.ended = &awaited.ended_;
  if (waiter == nullptr) return;
  awaited.by_task_ = true;
  awaited.turn_ = task.turn;
  if (waiter->is_counted) awaited.leaves_ = waiter->counted_at;
  waiters_[task.turn] = {waiter, waiter->turn};
}

// While a task waits its place is for others: they may be what it waits for. Of a task's threads
// each that waits leaves a place, so that more may begin than usual. The task itself has ended
// meanwhile if it does not wait for the thread that calls this.
void Runtime::WaitFor(Awaited& awaited, const char* what) {
  if (!awaited.by_task_) return awaited.ended_.Wait(what);
  const bool leaves = awaited.leaves_ != kWhenReady;
  const auto at = static_cast<std::size_t>(leaves ? awaited.leaves_ : kHost);
  if (leaves) {
    {
      const std::lock_guard lock(order_mutex_);
      --in_flight_[at];
    }
    StartReady();
  }
  awaited.ended_.Wait(what);
  const std::lock_guard lock(order_mutex_);
  if (leaves) ++in_flight_[at];
  waiters_.erase(awaited.turn_);
}

absl::Status Runtime::WaitOn(Handle handle, Mode mode) {
  if (!IsInside()) return pool_->Run([&] { return WaitOn(handle, mode); });
  // A task that does nothing on the host: what others come before and after is known of tasks.
  Awaited awaited;
  TaskList ready;
  {
    const std::lock_guard lock(order_mutex_);
    Block& block = BlockOf(handle);
    const Task* const waiter = RunningTask();
    if (waiter != nullptr) {
      if (absl::Status may = CheckMayWaitFor(*waiter, block, mode); !may.ok()) return may;
    }
    Combine(block, 0, ready);
    Task& task = NewTask(look_);
    const Access access = {handle, mode};
    AddAccesses(task, std::span(&access, 1));
    Await(task, waiter, awaited);
    Enter(task, kHost, ready);
  }
  ready.ForEach([this](Task& task) { Start(task); });
  WaitFor(awaited, "the tasks of a block");
  return FirstError();
}

absl::Status Runtime::RunGraph(Graph& graph) {
  if (!IsInside()) return pool_->Run([&] { return RunGraph(graph); });
  Awaited awaited;
  if (absl::Status submitted = Submit(graph, awaited); !submitted.ok()) return submitted;
  WaitFor(awaited, "the tasks of a graph");
  {
    const std::lock_guard lock(order_mutex_);
    graph.run_ = nullptr;
    std::erase(running_graphs_, &graph);
    // Of threads that its tasks have detached: from here on the graph may be gone.
    std::erase_if(waiters_, [&](const auto& one) { return one.second.task->graph() == &graph; });
  }
  return FirstError();
}

absl::Status Runtime::FirstError() {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace taskrt
