// Tasks that say what they read and write, run in an order and at places that the runtime chooses,
// with the data brought to them.
//
//   auto runtime = taskrt::Runtime::Create({});
//   const taskrt::Handle a = (*runtime)->Register("a", tile_a), b = ...;
//   (*runtime)->Run([&](taskrt::Runtime& rt) {
//     rt.Submit(fill, {{a, taskrt::Mode::kOut}});
//     rt.Submit(add, {{a, taskrt::Mode::kIn}, {b, taskrt::Mode::kInOut}});
//     return rt.Wait();
//   });
//
// Threads: any, inside and outside of the runtime's pool, tasks included; tasks are ordered as
// their Submits come. From outside a Submit costs some microseconds more; not where the pool is
// simulated.
//
// Source: [WLBS20] sections 2.1, 3.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/contract.h"
#include "lwt/event.h"
#include "lwt/pool.h"
#include "taskrt/device.h"
#include "taskrt/dispatch/dispatcher.h"
#include "taskrt/dispatch/entrance.h"
#include "taskrt/dispatch/first_error.h"
#include "taskrt/dispatch/planned_replicas.h"
#include "taskrt/order/block.h"
#include "taskrt/order/block_table.h"
#include "taskrt/order/commutative_tasks.h"
#include "taskrt/order/task.h"
#include "taskrt/order/unfinished.h"
#include "taskrt/order/wait_graph.h"
#include "taskrt/plan/plan.h"
#include "taskrt/plan/plan_recorder.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/trace/trace.h"
#include "taskrt/transfer/mover.h"
#include "topo/mutex.h"

namespace taskrt {

struct RuntimeOptions {
  // A driver may need a tenth of such a stack; who waits for a device is no stall.
  lwt::PoolOptions pool = {.stack_bytes = 1 << 20, .stall_report_after = {}};
  std::vector<std::unique_ptr<Device>> devices = {};
  std::unique_ptr<Scheduler> scheduler = std::make_unique<RoundRobin>();
  MoverOptions mover = {};
  double host_flops_per_s = 1e11;  // of one simulated worker
  // How many tasks a device has at a time: some are copied for while one computes. The others wait,
  // those of a higher priority and those that were submitted first before the others; so what they
  // need does not crowd out what is used again, and the copies are nearly those of the plan.
  int tasks_in_flight = 4;
  bool traces = false;  // trace() tells what was done, and when
  // A task of the host that writes what it said it only reads fails (access_checker.h).
  bool checks_accesses = false;
  // Nothing is run: Submit only chooses a place, and Plan() tells what would be copied.
  bool only_plans = false;
};

// A value: a block of the user's memory, until it is unregistered.
class Handle {
 public:
  Handle() = default;

 private:
  friend class Runtime;
  explicit Handle(Block& block) : block_(&block), generation_(block.generation) {}
  Block* block_ = nullptr;
  std::uint64_t generation_ = 0;
};

// A value.
struct Access {
  Handle handle = {};
  Mode mode = Mode::kIn;
};

struct RuntimeCounts {
  std::uint64_t tasks = 0;             // that have run, with those that a reduction adds
  std::uint64_t tasks_on_devices = 0;  // of them
  CopyCounts copies;
  // The least for the places that the tasks were given, in the order of their submission: each
  // value once to each place that reads it, and home when the tasks were waited for (plan/plan.h).
  // Commutative tasks in another order may need less.
  CopyCount least;
};

// A value: those that can run a kernel, ascending.
class PlaceSet {
 public:
  void Add(Place place) {
    places_[count_++] = place;
    bits_ |= std::uint64_t{1} << place;
  }
  bool Has(Place place) const {
    return place >= 0 && place < kMostPlaces && (bits_ >> place & 1) != 0;
  }
  bool is_empty() const { return count_ == 0; }
  operator std::span<const Place>() const {
    return std::span(places_).first(static_cast<std::size_t>(count_));
  }

 private:
  std::array<Place, kMostPlaces> places_;
  int count_ = 0;
  std::uint64_t bits_ = 0;
};

class Graph;

// Was it refused, as who asks would wait for himself? Not where a task that has failed had tried
// it.
inline bool IsRefusedWait(const absl::Status& status) {
  return status.GetPayload("taskrt/refused_wait").has_value();
}

// A resource: the end of a task that its submitter waits for.
class Awaited {
 private:
  friend class Runtime;
  lwt::Event ended_;
  Turn turn_ = 0;
  bool by_task_ = false;       // a task waits for it
  Place leaves_ = kWhenReady;  // where that one is counted; kWhenReady: nowhere
};

// A resource.
class Runtime {
 public:
  // Errors: those of lwt::Pool::Create; InvalidArgument names the option and what it may be.
  static absl::StatusOr<std::unique_ptr<Runtime>> Create(RuntimeOptions options);
  // Waits for all tasks. What is not at home by Wait is lost.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // The memory stays the user's, who does not read it until Wait, WaitOn or Unregister, and does
  // not write it until WaitOn with kInOut, or Unregister. Blocks that have memory in common are a
  // broken contract; tiles between each other's rows have none. A tile of null is nowhere. `owner`:
  // whose block it is, where owners compute (schedulers/scheduler.h).
  Handle Register(std::string name, const Tile& tile, int owner = 0);
  // Ends a block: its newest value is in the user's memory, and no device has memory for it. No
  // task uses it any more (WaitOn), and nobody its handles: a broken contract.
  // Errors: those of the copy home; it has ended nevertheless.
  absl::Status Unregister(Handle handle);
  // From now on its memory is `tile`, which is as Register's. What a device has comes home first.
  // FailedPrecondition: a task that uses it has been sent to a device, or it has a reduction, and
  // some task of it has not ended; WaitOn with kInOut, and try again.
  absl::Status Resize(Handle handle, const Tile& tile);

  // From now on tasks that add to the block (Mode::kReduction) run at the same time: each adds to a
  // partial block, of the same shape without gaps, which `initialize` has set ({{partial, kOut}})
  // and `combine` adds to the block ({{block, kReduction}, {partial, kIn}}) before somebody uses it
  // in another way. Both are tasks like any other, for devices too. Each device has a partial block
  // and each of the host's workers; tasks whose place is chosen when they can begin use these in
  // turn. Without this, and in graphs, such tasks run one at a time. Once for a block.
  void SetReduction(Handle handle, const Kernel& initialize, const Kernel& combine);

  // Runs `f(*this)` on a lightweight thread, and returns what it returns.
  template <typename F>
  auto Run(F&& f) {
    return pool_->Run([&] { return f(*this); });
  }

  // Returns at once, or when the task has run here. The kernel outlives it. At most eight accesses,
  // to different blocks, and 64 bytes of scalars: more is a broken contract.
  // `priority`: of tasks that are ready and wait for a device, or for a place that is chosen then
  // (schedulers/ready_schedulers.h), higher ones come first. `ended`: set when it has ended or was
  // left out.
  void Submit(const Kernel& kernel, std::span<const Access> accesses,
              std::span<const std::byte> scalars = {}, int priority = 0,
              lwt::Event* ended = nullptr);
  void Submit(const Kernel& kernel, std::initializer_list<Access> accesses,
              std::span<const std::byte> scalars = {}, int priority = 0) {
    Submit(kernel, std::span(accesses.begin(), accesses.size()), scalars, priority);
  }

  // As Submit, by who waits for the task then: WaitFor, once, before `awaited` is gone.
  // FailedPrecondition: WaitOn's, of one of the blocks; then there is no task.
  absl::Status SubmitAwaited(const Kernel& kernel, std::span<const Access> accesses,
                             std::span<const std::byte> scalars, Awaited& awaited);
  // Returns when it has ended or was left out.
  void WaitFor(Awaited& awaited) { WaitFor(awaited, "the end of a task"); }

  // The block's newest value, of the tasks submitted so far, is brought to `place` as soon as they
  // have ended, though no task waits for it there: 0 is the host, then the devices as they were
  // given. For the order it is a task that reads the block. No more than a hint: where it cannot be
  // done nothing happens, and with Across::kAccess what another device has stays there.
  void Prefetch(Handle handle, Place place);

  // All tasks submitted so far have ended, and all blocks are up to date in the user's memory, to
  // be read. To write a block there: WaitOn with kInOut, or devices go on with the value they have.
  // The first error, with its task's name and accesses; those that had not begun then were left
  // out. An exception that a body throws is such an error (Unknown), and so is a kernel that no
  // place can run (FailedPrecondition). What a failed task was to write has the value before it, or
  // what it left. A task whose device is lost runs elsewhere if something else can run it, with
  // what others have of its blocks; DataLoss names a block that nobody else had.
  // FailedPrecondition: a task calls it. Here and below that is its body, or a thread that its body
  // has started, in whatever pool, and so on, until the task has ended.
  absl::Status Wait();
  // All tasks submitted so far that change the block have ended, and its newest value is in the
  // user's memory, to be read. kInOut: also those that read it, and it is nowhere else: it may be
  // written. The first error so far, as Wait, which tells it again. FailedPrecondition: a task
  // calls it that uses the block, or that a task of the block comes after, or that is commutative.
  absl::Status WaitOn(Handle handle, Mode mode = Mode::kIn);

  // Does a task call it?
  bool IsInTask();

  RuntimeCounts counts() const;
  // Where the tasks have run, in the order of their submission, those of a graph on the host once,
  // for Replay (schedulers/scheduler.h). After Wait.
  std::vector<Place> places() const;
  // After Wait; without events where options.traces does not ask for them.
  Trace trace() const;
  // Where options.only_plans: what the tasks submitted so far will copy. Errors: PlanCopies'.
  absl::StatusOr<CopyPlan> Plan() const;
  lwt::Pool& pool() { return *pool_; }

 private:
  friend class Graph;

  explicit Runtime(RuntimeOptions options);

  PlaceSet PlacesOf(const Kernel& kernel) const;
  Task& NewTask(TaskKind kind, const Kernel& kernel, std::span<const std::byte> scalars = {})
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  Task& NewTaskOf(const Kernel& kernel, std::span<const Access> accesses,
                  std::span<const std::byte> scalars, int priority, TaskList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void PlaceAndEnter(Task& task, TaskList& ready) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  static void CheckSizes(std::span<const Access> accesses, std::span<const std::byte> scalars);
  void AddAccesses(Task& task, std::span<const Access> accesses)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void Enter(Task& task, Place place, TaskList& ready) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  Place PlaceFor(const Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::Status CannotRun(const Kernel& kernel) const;
  void SetPlace(Task& task, Place place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void UsePartials(Task& task, Place place, TaskList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  Block& PartialOf(Block& block, std::size_t index) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void Combine(Block& block, int priority, TaskList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void CombineAll();
  bool TakeError(absl::Status& error, bool may_go_on);
  Task* RunningTask() ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void Await(Task& task, const Task* waiter, Awaited& awaited)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void WaitFor(Awaited& awaited, const char* what);
  absl::Status RunGraph(Graph& graph);
  bool HasPartials(const Block& block) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::Status DropPartials(Block& block);
  absl::Status Submit(Graph& graph, Awaited& awaited);
  void PrepareTasks(Graph& graph) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void PlanTask(Task& task, Place place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  static Block& BlockOf(Handle handle) {
    lwt::CheckContract(handle.block_ != nullptr, "an access has a registered handle");
    if (handle.generation_ != handle.block_->generation) [[unlikely]]
      DieOfEndedBlock(handle);
    return *handle.block_;
  }
  [[noreturn]] static void DieOfEndedBlock(Handle handle);
  bool IsIdle(const Block& block) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void Start(Task& task);
  void StartNow(Task& task);
  void StartReady();
  void Spawn(Task& task);
  bool IsInside() const;
  // What the body of a lightweight thread of tasks begins with; its name, by which tasks find it.
  struct Running {
    Runtime& runtime;
    Task* task;  // the one that runs
  };
  static constexpr char kTaskThread[] = "task";
  // What a thread of a task inherits (lwt::Inherited), and all that it starts: this and the task's
  // turn, of which a runtime has so many in half a year. A thread that was detached may live longer
  // than the task and the runtime: the task is looked for among those that have not ended.
  static constexpr int kTurnBits = 48;
  static std::uint64_t NewMark() {
    static std::atomic<std::uint64_t> last{0};
    return (last.fetch_add(1, std::memory_order_relaxed) + 1) << kTurnBits;
  }
  const std::uint64_t mark_ = NewMark();
  void Execute(Running& running);
  struct Ran {
    bool has_begun = false;
    std::optional<double> seconds;  // where that was measured
  };
  absl::Status RunTask(Task& task, Ran& ran);
  absl::Status RunOnce(Task& task, Ran& ran);
  void Bring(Task& task);
  absl::Status RunOnHost(const Task& task, std::span<const Tile> tiles);
  bool PlaceElsewhere(Task& task);
  double Measure(Place place, lwt::Deadline begun);
  absl::Status BringAllHome();
  void LeaveOut(const Task& task);
  void Fail(const Task& task, const absl::Status& status);

  const std::vector<std::unique_ptr<Device>> devices_;
  const std::unique_ptr<Scheduler> scheduler_;
  const double host_flops_per_s_;
  const bool is_simulated_;
  const bool checks_accesses_;
  const bool only_plans_;
  const std::unique_ptr<Recorder> recorder_;  // null: nobody asks
  const Kernel look_, prefetch_;              // of WaitOn and Prefetch, which compute nothing
  Mover mover_;
  std::unique_ptr<lwt::Pool> pool_;

  // The order of taskrt's locks: a device's (transfer/mover.h), a block's, this one, and then those
  // of Uses and FirstError, under which no other lock is taken. CommutativeTasks' is taken alone.
  // This one is held for no wait and no copy, and released before a task is started.
  mutable topo::Mutex order_mutex_;
  TaskStore tasks_ ABSL_GUARDED_BY(order_mutex_);
  BlockTable blocks_ ABSL_GUARDED_BY(order_mutex_);
  Turn turns_ ABSL_GUARDED_BY(order_mutex_) = 0;
  std::uint64_t numbers_ ABSL_GUARDED_BY(order_mutex_) = 0;
  PlannedReplicas planned_replicas_ ABSL_GUARDED_BY(order_mutex_);
  Dispatcher dispatcher_ ABSL_GUARDED_BY(order_mutex_);
  PlanRecorder plan_ ABSL_GUARDED_BY(order_mutex_);  // where only_plans
  std::vector<Block*> open_reductions_ ABSL_GUARDED_BY(order_mutex_);
  WaitGraph waits_ ABSL_GUARDED_BY(order_mutex_);

  CommutativeTasks commutative_;
  Unfinished unfinished_;
  std::atomic<std::uint64_t> not_run_{0}, ran_on_devices_{0};  // of all turns
  FirstError error_;

  std::once_flag entrance_made_;
  std::unique_ptr<Entrance> entrance_;
};

}  // namespace taskrt
