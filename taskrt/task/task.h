// A task that was submitted. When it has ended and no TaskRef refers to it, its memory is used for
// another task.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>

#include "lwt/event.h"
#include "taskrt/ids.h"
#include "taskrt/kernel.h"
#include "taskrt/place.h"
#include "taskrt/task/successors.h"
#include "taskrt/task/task_call.h"
#include "taskrt/tile.h"

namespace taskrt {

class GraphTasks;
class Task;
class TaskStore;

// What a task is for.
enum class TaskKind : std::uint8_t {
  kComputes,  // It runs a kernel, of the user's or of a graph.
  kGraph,     // It runs the tasks of a graph, which are counted.
  kWaitOn,    // It runs nothing: its end is awaited.
  kPass,      // It runs nothing: the value of a block comes to its parts, or back.
  kPrefetch,  // It runs nothing: its block is brought to its place.
};

// Refers to a task. TaskOrder's lock guards all uses.
class TaskRef {
 public:
  TaskRef() = default;
  inline explicit TaskRef(Task& task);
  inline TaskRef(const TaskRef& other);
  TaskRef(TaskRef&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  TaskRef& operator=(TaskRef other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  inline ~TaskRef();
  Task& operator*() const { return *task_; }
  Task* operator->() const { return task_; }

 private:
  Task* task_ = nullptr;
};

// Its members are in the order in which they are needed: to run a task of a graph again takes the
// first line of the cache, and call_'s.
class alignas(64) Task {
 public:
  explicit Task(TaskStore& store) : store_(store) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // By the thread that submits the task, as the functions from here to Submitted.
  void Begin(const Kernel& kernel, std::span<const std::byte> scalars, SubmitIndex index) {
    call_.Begin(kernel, scalars);
    submit_index = index;
    successors_.Begin();
  }
  TaskCall& call() { return call_; }
  // This task begins after `other`, unless that has ended.
  void ComeAfter(Task& other) { successors_.ComeAfter(other.successors_, *this, submit_index); }
  // True: the task can begin, and no Release returns true. Else one will, or has already.
  bool Submitted() { return successors_.Submitted(); }

  const Kernel& kernel() const { return call_.kernel(); }
  std::span<const TaskAccess> accesses() const { return call_.accesses(); }
  std::span<const Tile> tiles() const { return call_.tiles(); }
  std::span<const std::byte> scalars() const { return call_.scalars(); }
  bool commutes() const { return call_.commutes(); }
  bool computes() const { return kind == TaskKind::kComputes; }
  // Of the access of that index: is its block in memory of the task's own place?
  bool IsHere(std::size_t access) const { return where()[access] == place_; }
  // Placement (order/placement.h) alone writes these four.
  Place place() const { return place_; }           // kWhenReady: not chosen yet
  bool takes_slot() const { return takes_slot_; }  // of its place, which has so many (Dispatcher)
  // Its place is chosen when it can begin.
  bool is_placed_when_ready() const { return is_placed_when_ready_; }
  // It runs on the host, where its blocks have always been.
  bool stays_on_host() const { return stays_on_host_; }
  // The place whose memory of each block it uses; Mover chooses.
  std::span<const Place> where() const { return call_.where(); }
  std::span<Place> where() { return call_.where(); }

  // The task has ended; its memory may be another task's then. Calls `ready(task)` for each
  // successor that can begin now.
  template <typename Ready>
  inline void End(Ready ready);
  bool has_ended() const { return successors_.has_ended(); }
  // Calls `after(other)` for each successor. Under TaskOrder's lock, while this task cannot end.
  template <typename After>
  void ForEachAfter(After after) const {
    successors_.ForEachSuccessor(after);
  }

  // A task of a graph (graph.h), which runs again and again: it begins after so many tasks of the
  // graph, and `successors` come after it.
  void RunAgain(GraphTasks& graph, std::span<Task* const> successors, int predecessors) {
    in_graph_ = {&graph, successors, predecessors};
    successors_.Await(predecessors);
  }
  GraphTasks* graph() const { return in_graph_.graph; }  // null: of none
  // As End, until the graph's next run. True: it has no successors. Once all successors are ready
  // the graph may end.
  template <typename Ready>
  bool EndForNow(Ready ready) {
    const std::span<Task* const> successors = in_graph_.successors;
    for (Task* const task : successors) {
      if (!task->successors_.Release()) continue;
      task->successors_.Await(task->in_graph_.predecessors);  // for the next time
      ready(*task);
    }
    return successors.empty();
  }

 private:
  friend class Placement;
  friend class TaskRef;
  struct InGraph {
    GraphTasks* graph = nullptr;
    std::span<Task* const> successors;
    int predecessors = 0;
  };
  inline void Unref();

  InGraph in_graph_;

 public:
  TaskKind kind = TaskKind::kComputes;

 private:
  bool takes_slot_ = false;
  bool is_placed_when_ready_ = false;
  bool stays_on_host_ = false;
  Place place_ = kHost;

 public:
  Place slot_at = kHost;        // whose slot Dispatcher gave it: it may go on elsewhere
  lwt::Event* ended = nullptr;  // of the thread that waits for this task

 private:
  Successors successors_;

 public:
  SubmitIndex submit_index = 0;
  std::uint64_t number = 0;  // among the user's tasks, from 1; 0: none of those
  Task* next = nullptr;      // in its store, or its list
  int priority = 0;

 private:
  int refs_ = 0;  // TaskRefs; under TaskOrder's lock
  TaskStore& store_;
  TaskCall call_;
};

// Tasks that can begin, in their order.
class TaskList {
 public:
  void Add(Task& task) {
    task.next = nullptr;
    *last_ = &task;
    last_ = &task.next;
  }
  // Calls `start(task)`, after which that may be gone.
  template <typename Start>
  void ForEach(Start start) {
    for (Task* task = first_; task != nullptr;) start(*std::exchange(task, task->next));
  }
  TaskList() = default;
  TaskList(const TaskList&) = delete;
  TaskList& operator=(const TaskList&) = delete;

 private:
  Task* first_ = nullptr;
  Task** last_ = &first_;
};

// A resource: memory for as many tasks as there ever were at once.
class TaskStore {
 public:
  // Under TaskOrder's lock, as Free.
  Task& New() {
    if (free_ == nullptr) free_ = given_back_.exchange(nullptr, std::memory_order_acquire);
    if (free_ == nullptr) return all_.emplace_back(*this);
    return *std::exchange(free_, free_->next);
  }
  void Free(Task& task) {
    task.next = free_;
    free_ = &task;
  }
  // By any thread.
  void GiveBack(Task& task) {
    task.next = given_back_.load(std::memory_order_relaxed);
    while (!given_back_.compare_exchange_weak(task.next, &task, std::memory_order_release,
                                              std::memory_order_relaxed)) {
    }
  }
  std::size_t size() const { return all_.size(); }
  // The task, if it has not ended; else null. Under TaskOrder's lock. Looks at all tasks.
  Task* Find(SubmitIndex index) {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Task& task) {
      return task.submit_index == index && !task.has_ended();
    });
    return found == all_.end() ? nullptr : &*found;
  }

 private:
  Task* free_ = nullptr;
  std::atomic<Task*> given_back_{nullptr};
  std::deque<Task> all_;
};

TaskRef::TaskRef(Task& task) : task_(&task) { ++task.refs_; }
TaskRef::TaskRef(const TaskRef& other) : task_(other.task_) {
  if (task_ != nullptr) ++task_->refs_;
}
TaskRef::~TaskRef() {
  if (task_ != nullptr && --task_->refs_ == 0) task_->Unref();
}

// The later of Unref and End gives the memory back.
void Task::Unref() {
  if (successors_.TryLeave()) store_.Free(*this);
}

template <typename Ready>
void Task::End(Ready ready) {
  const std::uintptr_t successors = successors_.Close();
  if (Successors::IsUnreferenced(successors)) store_.GiveBack(*this);
  Successors::ForEach(successors, [&](Task& task) {
    if (task.successors_.Release()) ready(task);
  });
}

}  // namespace taskrt
