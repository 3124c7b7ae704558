// Tasks declare what they read and write; the runtime chooses their order and places, and brings
// the data to them.
//
//   auto runtime = taskrt::Runtime::Create({});
//   const taskrt::Handle a = (*runtime)->Register("a", tile_a), b = ...;
//   (*runtime)->Run([&](taskrt::Runtime& rt) {
//     rt.Submit(fill, {{a, taskrt::Mode::kOut}});
//     rt.Submit(add, {{a, taskrt::Mode::kIn}, {b, taskrt::Mode::kInOut}});
//     return rt.Wait();
//   });
//
// Threads: any, inside and outside of the runtime's pool, tasks included; the order of tasks is
// that of their Submits. From outside a Submit costs some microseconds more. A simulated pool takes
// Submits from inside only.
//
// Source: [WLBS20] sections 2.1, 3.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/pool.h"
#include "taskrt/awaited.h"
#include "taskrt/completion.h"
#include "taskrt/device.h"
#include "taskrt/handle.h"
#include "taskrt/kernel.h"
#include "taskrt/place.h"
#include "taskrt/plan/plan.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/task_options.h"
#include "taskrt/tile.h"
#include "taskrt/trace/trace.h"
#include "taskrt/transfer/mover_options.h"

namespace taskrt {

struct RuntimeOptions {
  // Of the runtime's own pool. Its stacks have 1 MiB where stack_bytes is 0: drivers use up to
  // 100 KiB of one. By default it reports no stalls, since a thread may wait long for a device;
  // where there is none, stall_report_after is of use. woken_from_outside is true.
  lwt::PoolOptions pool = {.stall_report_after = {}};
  // Not null: the runtime has no pool of its own, and its tasks are threads of this one, which
  // other runtimes and the program's threads may use at the same time. It outlives the runtime, and
  // its stacks are large enough for the bodies and the drivers.
  lwt::Pool* shared_pool = nullptr;
  std::vector<std::unique_ptr<Device>> devices = {};
  std::unique_ptr<Scheduler> scheduler = std::make_unique<RoundRobin>();
  MoverOptions mover = {};
  double host_flops_per_s = 1e11;  // of one simulated worker
  // How many tasks a device has at a time; 0: as many as it asks for (Device::tasks_in_flight).
  // More tasks overlap more copies with computing, but evict blocks that are used again; tasks that
  // the device does not have yet wait, by priority and then by submission.
  int tasks_in_flight = 0;
  // All tasks of the host wait for a worker, by priority and then by submission, also those without
  // a priority. Else such tasks, and all where there are no devices, are threads of the pool at
  // once, whose newest begins first: its blocks are in caches. A body that waits for what another
  // task does after it leaves its worker by the runtime's waits alone.
  bool host_priorities = false;
  // Where so many tasks are outstanding, at about 1 KB each, a Submit by none of the runtime's
  // tasks returns when all of them have ended. Tasks that wait for what the program does after
  // further Submits need more. 0: no bound.
  std::uint64_t most_outstanding = 1 << 20;
  // A task that fails, or is left out, leaves out the tasks that read the values that it was to
  // write. True: and until a Wait all other tasks that have not begun, as those of one computation,
  // which has failed. False: the other tasks run, as those of requests that have nothing to do with
  // each other; a Wait now and then forgets the first error, which costs later tasks a little.
  bool stops_at_errors = true;
  bool traces = false;  // for trace()
  // A task on the host fails if it writes a block that it declared kIn (access_checker.h).
  bool checks_accesses = false;
  // No task runs: Submit only chooses a place, and Plan() returns the copies that a run would make.
  bool only_plans = false;
};

struct RuntimeCounts {
  std::uint64_t tasks = 0;             // that have run, with those that reductions add
  std::uint64_t tasks_on_devices = 0;  // of `tasks`
  CopyCounts copies;
  // The least copies for the places that the tasks were given, in the order of their submission:
  // each value once to each place that reads it, and to the host at a Wait (plan/plan.h).
  // Commutative tasks in another order may need fewer.
  CopyCount least;
};

class FirstError;
class Graph;
class GraphTasks;
class Kept;
class Mover;
class Outcomes;
class Places;
class Recorder;
class TaskCounts;
class TaskMarks;
class TaskOrder;
class TaskRunner;
struct Submission;

// Was this very wait refused, as the calling task would wait for itself? False for the error of a
// task that failed, even where it failed of such a refusal.
inline bool IsRefusedWait(const absl::Status& status) {
  return status.GetPayload("taskrt/refused_wait").has_value();
}

// A resource.
class Runtime {
 public:
  // Errors: those of lwt::Pool::Create; InvalidArgument names the option and what it may be;
  // ResourceExhausted: no OS thread for tasks from outside of the pool.
  static absl::StatusOr<std::unique_ptr<Runtime>> Create(RuntimeOptions options);
  // Waits for all tasks. A value that no Wait has written back is lost, and so is an error that no
  // Wait has returned. In a child of fork(2) it waits for nothing, and the other calls, but those
  // of a task that has forked itself, end the program with a sentence: tasks and workers are the
  // parent's (lwt/pool.h). Called outside of a pool of its own; in a shared one by any thread but
  // the runtime's own tasks.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  // std::unique_ptr calls it: it runs the destructor, or nothing where lwt::Pool::IsLeftAtExit.
  void operator delete(Runtime* runtime, std::destroying_delete_t);

  // Makes `tile` a block. The program does not read the memory until Wait, WaitOn or Unregister,
  // and does not write it until WaitOn with kInOut, or Unregister. Blocks that share memory are a
  // broken contract; strided tiles may interleave, as long as no byte is in two. A tile of null has
  // no memory (plans). `owner`: for OwnerComputes (schedulers/scheduler.h).
  Handle Register(std::string name, const Tile& tile, int owner = 0);
  // Ends a block: its newest value is in the user's memory then, and no device has memory for it. A
  // broken contract: tasks use the block (WaitOn comes before), or its handles are used later.
  // Errors: those of the write-back; the block has ended nevertheless.
  absl::Status Unregister(Handle handle);
  // From now on the block's memory is `tile`, as Register's; its value is written back before.
  // FailedPrecondition: the block has been on a device, or has a reduction, and some task of it has
  // not ended; call WaitOn with kInOut, and try again.
  absl::Status Resize(Handle handle, const Tile& tile);

  // Divides a block into parts of so many rows of so many bytes, less at its ends: row by row. Each
  // part is a block of its own. A task that accesses the whole comes after those of its parts, and
  // theirs after it; between them the newest value goes by way of the host, each part with one copy
  // or none. A block may be divided in several ways, and a part again. A task, or a graph, accesses
  // the block or parts of one way: else it is a broken contract. Parts end with their block, which
  // keeps its memory (Resize): a program divides once, and not for each use. They have its owner.
  std::vector<Handle> Divide(Handle whole, std::uint64_t rows, std::uint64_t row_bytes);
  // The user's memory of the block.
  Tile TileOf(Handle handle) const;

  // From now on tasks that add to the block (Mode::kReduction) run at the same time, each on a
  // partial block of the same shape without gaps. Once for a block; without this, and in graphs,
  // such tasks run one at a time.
  //
  //   initialize  a task with {{partial, kOut}}: sets a partial block before its first use
  //   combine     a task with {{block, kReduction}, {partial, kIn}}: adds a partial block to the
  //               block, before a task uses the block in another way
  //
  // The runtime copies both kernels. Each device and each worker of the host has a partial block.
  // Tasks whose place is chosen when they become ready use the partial blocks in turn.
  void SetReduction(Handle handle, const Kernel& initialize, const Kernel& combine);

  // Runs `f(*this)` on a lightweight thread, and returns what it returns.
  template <typename F>
  auto Run(F&& f) {
    return pool_.Run([&] { return f(*this); });
  }

  // Returns at once, or when the task has run on this thread. The kernel outlives it. The accesses
  // are to different blocks; up to eight of them, and 64 bytes of scalars, need no memory.
  Completion Submit(const Kernel& kernel, std::span<const Access> accesses,
                    std::span<const std::byte> scalars = {},
                    const TaskOptions& options = kNoTaskOptions);
  Completion Submit(const Kernel& kernel, std::initializer_list<Access> accesses,
                    std::span<const std::byte> scalars = {},
                    const TaskOptions& options = kNoTaskOptions) {
    return Submit(kernel, std::span(accesses.begin(), accesses.size()), scalars, options);
  }
  // A temporary kernel would be gone before its task: here and below.
  Completion Submit(const Kernel&& kernel, std::span<const Access> accesses,
                    std::span<const std::byte> scalars = {},
                    const TaskOptions& options = kNoTaskOptions) = delete;
  Completion Submit(const Kernel&& kernel, std::initializer_list<Access> accesses,
                    std::span<const std::byte> scalars = {},
                    const TaskOptions& options = kNoTaskOptions) = delete;

  // Submit for a caller that waits for the task: WaitFor, once, before `awaited` is gone.
  // FailedPrecondition: as WaitOn, for one of the blocks; no task was submitted then.
  absl::Status SubmitAwaited(const Kernel& kernel, std::span<const Access> accesses,
                             std::span<const std::byte> scalars, Awaited& awaited);
  absl::Status SubmitAwaited(const Kernel&& kernel, std::span<const Access> accesses,
                             std::span<const std::byte> scalars, Awaited& awaited) = delete;
  // Returns when the task has ended or was left out.
  void WaitFor(Awaited& awaited);

  // Copies the block's newest value, of the tasks submitted so far, to `place` as soon as these
  // have ended. 0 is the host, then the devices as they were given. In the order of tasks a
  // prefetch is a task that reads the block. A hint: where it cannot be done nothing happens, and
  // with Across::kAccess a value on another device stays there.
  void Prefetch(Handle handle, Place place);

  // Returns when all tasks submitted so far have ended and all blocks are up to date in the user's
  // memory, to be read. (To be written: WaitOn with kInOut, or devices go on with their values.)
  // Errors: the first, with its task's name and accesses. Tasks that had not begun then were left
  // out, and so are all that are submitted later, until this returns (but see
  // RuntimeOptions::stops_at_errors). An exception that a body throws is such an error (Unknown),
  // and so is a kernel that no place can run (FailedPrecondition). A block that a failed task was
  // to write has the value before that task, or what the task left. A task whose device is lost
  // runs at another place that can run it, with other replicas of its blocks; DataLoss names a
  // block that had no other replica. FailedPrecondition: a task calls it. A task's calls, here and
  // below, are those of its body and of the threads that the body has started, directly or not, in
  // whatever pool, until the task has ended.
  absl::Status Wait();
  // Calls `wait()`, in which the body that calls this waits for other tasks by means of its own, as
  // an event: its place has room for another task meanwhile. Without this, as many tasks as a place
  // runs at once, which all wait so, keep out the tasks that they wait for; tasks of the host take
  // up room only with priorities (RuntimeOptions::host_priorities, or where there are devices).
  void WaitBy(const std::function<void()>& wait);
  // Returns when all tasks submitted so far that change the block have ended and its newest value
  // is in the user's memory, to be read. kInOut: also the tasks that read it, and its value is
  // nowhere else, so that it may be written. Errors: the first so far, which Wait returns again.
  // FailedPrecondition: the calling task uses the block, comes before a task that uses it, or is
  // commutative.
  absl::Status WaitOn(Handle handle, Mode mode = Mode::kIn);

  // All tasks submitted so far that have not begun are left out, and so are later ones until Wait,
  // which is Cancelled then and names the first of them. Bodies that run go on; they may ask
  // stop_token() whether to end early. Blocks have the values that the tasks before have left.
  void Cancel();
  // Is stopped by Cancel; after the Wait that follows there is another.
  std::stop_token stop_token() const;

  // Waits for the block's tasks, and unregisters it. Errors: as WaitOn's and Unregister's; the
  // block has ended nevertheless. A broken contract: a task that uses the block calls it.
  absl::Status End(Handle handle);
  // Is the process the child of one that made it by fork(2), or does it end by exit(3) while tasks
  // run? Then it waits for nothing, and the tasks' memory stays.
  bool IsLeft() const { return pool_.is_of_parent_process() || pool_.IsLeftAtExit(); }
  // For blocks with memory of their own: `memory` will be copied to devices and back, until
  // Unpin, which comes after the block's end. Throws nothing.
  void Pin(std::span<std::byte> memory);
  void Unpin(std::span<std::byte> memory);
  // For objects that tasks refer to (kept.h).
  const std::shared_ptr<Kept>& kept() const { return kept_; }

  // Does a task call it?
  bool IsInTask();

  RuntimeCounts counts() const;
  // Where the tasks have run, in the order of their submission (a run of a graph is one task of the
  // host), for Replay (schedulers/scheduler.h). After Wait.
  std::vector<Place> places() const;
  // After Wait; without events where options.traces does not ask for them.
  Trace trace() const;
  // Where options.only_plans: the copies of the tasks submitted so far. Errors: PlanCopies'.
  absl::StatusOr<CopyPlan> Plan() const;
  lwt::Pool& pool() { return pool_; }

 private:
  friend class Completion;
  friend class Graph;

  // `own_pool`: null where options.shared_pool is not.
  Runtime(RuntimeOptions options, std::unique_ptr<lwt::Pool> own_pool);
  static std::unique_ptr<Runtime> Allocate(RuntimeOptions options,
                                           std::unique_ptr<lwt::Pool> own_pool);

  template <typename Add>
  void StartAll(Add add);
  void WaitForRoom();
  void CheckAreOwn(std::span<const Completion> all) const;
  absl::Status DropPartials(Handle handle);
  // For Graph.
  void AddTo(GraphTasks& tasks, const Submission& submission);
  absl::StatusOr<Completion> SubmitRun(GraphTasks& tasks, const Kernel& whole, Awaited* awaited);
  absl::Status Run(GraphTasks& tasks, const Kernel& whole);
  void RunParts(GraphTasks& tasks);
  // For Completion.
  absl::Status WaitFor(const Completion& completion);
  bool HasEnded(const Completion& completion) const;
  void Cancel(const Completion& completion);

  // In the order in which they are made: each uses some of those before it.
  const std::vector<std::unique_ptr<Device>> devices_;
  const std::unique_ptr<Scheduler> scheduler_;
  const std::unique_ptr<Recorder> recorder_;  // null: nothing is traced
  const std::unique_ptr<const Places> places_;
  const std::unique_ptr<TaskMarks> marks_;
  const std::shared_ptr<TaskCounts> counts_;
  const std::unique_ptr<FirstError> error_;
  const std::unique_ptr<Outcomes> outcomes_;
  const std::shared_ptr<Kept> kept_;
  const std::unique_ptr<Mover> mover_;
  const std::unique_ptr<TaskOrder> order_;
  std::unique_ptr<lwt::Pool> own_pool_;
  lwt::Pool& pool_;
  const std::unique_ptr<TaskRunner> runner_;
  const std::uint64_t most_outstanding_;
  const bool only_plans_;
};

}  // namespace taskrt
