// The tasks of OpenMP: explicit ones, which a construct creates, and implicit ones, each the part
// of a parallel region, or of the program, that one member runs.
//
// Threads: a task's members by the flow that runs its body, but for its counts.
// Source: OpenMP 5.1, sections 2.12 and 2.20.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "lwt/mutex.h"
#include "taskrt/handle.h"
#include "taskrt/ompc/pointers/pointer_task.h"
#include "taskrt/ompc/tasks/child_counts.h"
#include "taskrt/ompc/tasks/flow.h"
#include "taskrt/ompc/tasks/icvs.h"
#include "topo/atomic.h"

struct ompc_loop;
struct ompc_task;

namespace taskrt {

class Team;
class TaskGroup;
struct ImplicitTask;
struct OmpChild;
struct TaskEvent;

// A resource: tasks of the runtime that have not been waited for. Tasks that have ended are
// forgotten now and then, so that there are at most twice as many as run, and some.
class OmpChildren {
 public:
  void Add(std::shared_ptr<OmpChild> child);
  void Add(std::vector<std::shared_ptr<OmpChild>> children) {
    for (auto& child : children) Add(std::move(child));
  }
  std::vector<std::shared_ptr<OmpChild>> TakeAll() { return std::exchange(all_, {}); }
  bool empty() const { return all_.empty(); }

 private:
  std::vector<std::shared_ptr<OmpChild>> all_;
  std::size_t looks_at_ = 64;  // so many
};

// The record of a taskgraph, while its block is run (ompc/taskgraph).
//
// Threads: the flow that runs the block.
class TaskRecorder {
 public:
  virtual ~TaskRecorder() = default;
  // A task that the block creates.
  virtual void Add(const ompc_task& task) = 0;
  // The block has done something that no record can keep.
  virtual void Refuse() = 0;
};

// A resource: the parts of a task that few have.
struct TaskExtras {
  std::vector<std::unique_ptr<TaskGroup>> groups;  // that it has begun
  OmpChildren children;                            // of the runtime
  // The blocks that order the children, by the pointers of their dependencies.
  std::map<std::uintptr_t, Handle> order;
  std::vector<PointerMap> mapped;          // by children on devices, until they are waited for
  bool has_events = false;                 // of children with dependencies
  std::shared_ptr<TaskRecorder> recorder;  // of the taskgraph whose block it runs

  TaskExtras();
  ~TaskExtras();
};

using ChildCounts = BasicChildCounts<topo::Atomic>;

// A resource.
struct OmpTask {
  ChildCounts counts;
  OmpTask* parent = nullptr;         // that created it; null: implicit
  ImplicitTask* implicit = nullptr;  // of the member in whose part of a region it was created
  TaskGroup* group = nullptr;        // the innermost in which it was created
  Flow* waiting = nullptr;           // its own, while it waits for tasks
  int depth_in_place = 0;            // of bodies that run on one stack
  bool is_final = false;
  bool is_implicit = false;
  bool is_of_runtime = false;  // an OmpChild
  bool is_in_place = false;    // on the stack of its creator, which runs it: nothing counts it
  OmpTask* kept = nullptr;     // of that one: what stands for it from its first child on
  void (*destroy)(OmpTask&) = nullptr;  // once no task of its subtree is left; null: implicit
  std::unique_ptr<TaskExtras> extras;

  TaskExtras& its() {
    if (extras == nullptr) extras = std::make_unique<TaskExtras>();
    return *extras;
  }
  TaskGroup* innermost() const {
    return extras == nullptr || extras->groups.empty() ? group : extras->groups.back().get();
  }
};

// A value: the flow that begins a region.
struct Encounter {
  const ImplicitTask* member =
      nullptr;               // in whose part of an outer region, or of the program, it is
  bool is_explicit = false;  // in an explicit task
  int copy = 0;              // the number of its thread's copies of threadprivate variables
};

// A resource: of one member of a region.
struct ImplicitTask : OmpTask {
  Team* team = nullptr;  // null: it is alone
  int number = 0, size = 1;
  int level = 0, active_level = 0;
  const ImplicitTask* outer = nullptr;  // of the task that began the region; null: the program's
  // Of the thread that began the program's outermost region, or the program itself: its
  // dependencies and maps are the runtime's own blocks. One flow at a time is such a one.
  bool is_program = false;
  // The numbers of the threads' copies of threadprivate variables: its own, member 0's, and from
  // where on those of the others are.
  int copy = 0, first_copy = 0, copies = 0;
  Icvs icvs;
  // Of the league that the region is in.
  int team_number = 0, teams = 1;
  bool is_initial = false;    // the thread that runs a team's part of a teams region
  unsigned shared_loops = 0;  // how many it has met whose members share a counter
  ompc_loop* loop = nullptr;  // the innermost that has `ordered`
  // Tasks of the runtime whose creators have ended before them.
  std::mutex left_mutex;
  OmpChildren left;

  ImplicitTask() {
    implicit = this;
    is_implicit = true;
  }
  // Anew, for the next region.
  void Begin(const Encounter& by, int its_number, int its_size, Team* its_team, int its_copies);
  void Leave(std::vector<std::shared_ptr<OmpChild>> children);
  std::vector<std::shared_ptr<OmpChild>> TakeLeft() {
    const std::lock_guard lock(left_mutex);
    return left.TakeAll();
  }
  // Begins to wait for the subtree; false: there is nothing to wait for, or a task was left.
  bool BeginWait() {
    const std::lock_guard lock(left_mutex);
    return left.empty() && counts.Wait(ChildCounts::kSubtree);
  }
};

// The program itself.
ImplicitTask& ProgramTask();

// A resource: a task of the runtime that a task has created, until it has ended and been waited
// for.
struct OmpChild : OmpTask, TaskBody, std::enable_shared_from_this<OmpChild> {
  lwt::Event ended;
  std::shared_ptr<TaskEvent> event;  // that it does not end without; or null
  PointerCall call;
  std::shared_ptr<OmpChild> self;  // from its body's begin until its subtree is empty
  bool has_run = false;            // its body

  // Its creator's subtree has it from here on.
  static std::shared_ptr<OmpChild> Make(OmpTask* creator);
  virtual ~OmpChild();
  void Run(PointerFunction function, void** args) override;
};

// The tasks that were created since a taskgroup's begin, by its tasks too.
//
// A resource of the task that begins it. Threads: any.
class TaskGroup {
 public:
  explicit TaskGroup(TaskGroup* outer) : outer_(outer) {}
  TaskGroup* outer() const { return outer_; }

  void AddTask() { counts_.AddChild(); }
  void EndTask() {
    if (counts_.Release(ChildCounts::kBoth).wakes) waiting_->Wake();
  }
  void Add(std::shared_ptr<OmpChild> child) {
    const std::lock_guard lock(mutex_);
    children_.Add(std::move(child));
  }
  void AddMapped(const std::vector<PointerMap>& maps) {
    if (maps.empty()) return;
    const std::lock_guard lock(mutex_);
    mapped_.insert(mapped_.end(), maps.begin(), maps.end());
  }
  std::vector<PointerMap> TakeMapped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(mapped_, {});
  }
  // Returns when all have ended; they may create others until then.
  void Wait();

 private:
  TaskGroup* const outer_;
  ChildCounts counts_;
  Flow* waiting_ = nullptr;
  lwt::Mutex mutex_;
  OmpChildren children_;
  std::vector<PointerMap> mapped_;  // by tasks that have ended
};

// A resource: of detach.
struct TaskEvent {
  OmpTask* creator = nullptr;
  TaskGroup* group = nullptr;
  lwt::Event body_ended, fulfilled;  // of a task with dependencies
  std::shared_ptr<TaskEvent> self;   // until Fulfill

  static TaskEvent& Make(OmpTask& creator);
};
void Fulfill(TaskEvent* event);

// Calls `wait()`, in which the calling task waits: others may have its room in the runtime
// meanwhile.
void WaitBy(const std::function<void()>& wait);

// The children of the task have ended.
void WaitForChildren(OmpTask& task);
// All tasks of the implicit task's subtree have ended.
void WaitForSubtree(ImplicitTask& task);
// The calling flow is about to run the task's body.
void BeginTask(OmpTask& task);
// The task's body has ended, in the flow that ran it, which uses the task no more.
void EndTask(OmpTask& task);

// The body of a task that is no child: of a kernel, or of ompc.h's. It is a region of its own.
TaskBody& BodyOnItsOwn();
// The task, which is RunningTask's; null: the program.
Caller CallerOf(const OmpTask* running);
// The task's block of a taskgraph has done something that no record can keep.
inline void RefuseRecording(const OmpTask& task) {
  if (task.extras != nullptr && task.extras->recorder != nullptr) task.extras->recorder->Refuse();
}
// No task of OpenMP is left, at ompc_finish.
void ForgetTasks();

// The task whose body the calling flow runs; null: the program's own. A thread that waits may go on
// in another OS thread, whose task is another: what may wait keeps its own (KeepsTask).
OmpTask* CurrentTask();
void SetCurrentTask(OmpTask* task);
// `current`, as CurrentTask gave it, or the program's.
inline OmpTask& ThisTask(OmpTask* current) {
  if (current == nullptr) return ProgramTask();
  return current->kept == nullptr ? *current : *current->kept;
}
inline OmpTask& ThisTask() { return ThisTask(CurrentTask()); }
// Has the calling task created nothing? It may only be known of one that runs in place.
inline bool HasNoChild() {
  const OmpTask* const task = CurrentTask();
  return task != nullptr && task->is_in_place && task->kept == nullptr && task->extras == nullptr;
}
// ThisTask for a call that gives it children, which may outlive its frame.
OmpTask& KeptTask();
// CurrentTask, unless it is the program's, or its part of a region: then null.
OmpTask* RunningTask();

// A resource: at its end the current task is again that of its beginning.
class KeepsTask {
 public:
  KeepsTask() : task_(CurrentTask()) {}
  ~KeepsTask() { SetCurrentTask(task_); }
  KeepsTask(const KeepsTask&) = delete;
  KeepsTask& operator=(const KeepsTask&) = delete;

  OmpTask* task() const { return task_; }

 private:
  OmpTask* const task_;
};

}  // namespace taskrt
