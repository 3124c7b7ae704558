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
#include "taskrt/describe.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"

namespace taskrt {

absl::Status Runtime::Wait() {
  if (only_plans_) {
    CombineAll();
    PlanHomecoming();
    return absl::OkStatus();
  }
  if (!IsInside()) return pool_->Run([this] { return Wait(); });
  if (const Task* const task = RunningTask()) {
    return absl::FailedPreconditionError(
        absl::StrCat(Describe(*task), " would wait for itself: Wait is not called by tasks"));
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

// The task whose body calls this; null: none of this runtime's.
Task* Runtime::RunningTask() const {
  const auto* const running = lwt::RunningBody<Running>(kTaskThread);
  return running != nullptr && &running->runtime == this ? running->task : nullptr;
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
    if (const auto waiter = waiters_.find(one.turn); waiter != waiters_.end()) add(*waiter->second);
  }
  return all;
}

// Under order_mutex_. OK: a task that does this to the block may be waited for by `task`.
absl::Status Runtime::CheckMayWaitFor(const Task& task, const Block& block, Mode mode) const {
  const auto refused = [&](const auto&... why) {
    return absl::FailedPreconditionError(
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

// Waits for the end of `awaited`. While the body of `waiter` does, if one does, its place is for
// others: they may be what it waits for.
void Runtime::WaitFor(Turn awaited, Task* waiter, lwt::Event& ended, const char* what) {
  if (waiter == nullptr) return ended.Wait(what);
  int& in_flight = in_flight_[static_cast<std::size_t>(waiter->place)];
  if (waiter->is_counted) {
    {
      const std::lock_guard lock(order_mutex_);
      --in_flight;
    }
    StartReady();
  }
  ended.Wait(what);
  const std::lock_guard lock(order_mutex_);
  if (waiter->is_counted) ++in_flight;
  waiters_.erase(awaited);
}

absl::Status Runtime::WaitOn(Handle handle, Mode mode) {
  if (!IsInside()) return pool_->Run([&] { return WaitOn(handle, mode); });
  Task* const waiter = RunningTask();
  // A task that does nothing on the host: what others come before and after is known of tasks.
  Turn awaited = 0;
  lwt::Event ended;
  TaskList ready;
  {
    const std::lock_guard lock(order_mutex_);
    Block& block = BlockOf(handle);
    if (waiter != nullptr) {
      if (absl::Status may = CheckMayWaitFor(*waiter, block, mode); !may.ok()) return may;
    }
    Combine(block, 0, ready);
    Task& task = NewTask(look_);
    const Access access = {handle, mode};
    AddAccesses(task, std::span(&access, 1));
    task.ended = &ended;
    awaited = task.turn;
    if (waiter != nullptr) waiters_[awaited] = waiter;
    Enter(task, kHost, ready);
  }
  ready.ForEach([this](Task& task) { Start(task); });
  WaitFor(awaited, waiter, ended, "the tasks of a block");
  return FirstError();
}

absl::Status Runtime::RunGraph(Graph& graph) {
  if (!IsInside()) return pool_->Run([&] { return RunGraph(graph); });
  Task* const waiter = RunningTask();
  lwt::Event ended;
  const absl::StatusOr<Turn> awaited = Submit(graph, waiter, ended);
  if (!awaited.ok()) return awaited.status();
  WaitFor(*awaited, waiter, ended, "the tasks of a graph");
  {
    const std::lock_guard lock(order_mutex_);
    graph.run_ = nullptr;
  }
  return FirstError();
}

absl::Status Runtime::FirstError() {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace taskrt
