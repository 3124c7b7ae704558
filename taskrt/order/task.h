// A task that was submitted. When it has ended and no TaskRef refers to it, its memory is used for
// another task.
//
// A task has a count of the tasks that it has to wait for, and a list of its successors, which is
// closed when it has ended. Any thread may change both.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/access.h"
#include "taskrt/kernel.h"
#include "taskrt/order/ids.h"
#include "taskrt/place.h"
#include "taskrt/tile.h"

namespace taskrt {

struct Block;
class GraphTasks;
class Task;
class TaskStore;

// What a task is for.
enum class TaskKind : std::uint8_t {
  kComputes,  // It runs a kernel, of the user's or of a graph.
  kGraph,     // It runs the tasks of a graph, which are counted.
  kWaitOn,    // It runs nothing: its end is awaited.
  kPrefetch,  // It runs nothing: its block is brought to its place.
};

// A value.
struct TaskAccess {
  Block* block = nullptr;
  Mode mode = Mode::kIn;
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

// Its members are in the order in which they are needed: running a task of a graph again takes the
// first line of the cache only.
class alignas(64) Task {
 public:
  static constexpr std::size_t kMostAccesses = 8;
  static constexpr std::size_t kMostScalarBytes = 64;

 private:
  const Kernel* kernel_ = nullptr;
  GraphTasks* graph_ = nullptr;
  std::span<Task* const> graph_successors_;
  std::atomic<int> unmet_{0};
  int predecessors_ = 0;
  std::uint8_t accesses_count_ = 0, scalar_bytes_ = 0;
  bool commutes_ = false;

 public:
  TaskKind kind = TaskKind::kComputes;
  bool takes_slot = false;  // of its place, which has so many (RuntimeOptions::tasks_in_flight)
  bool is_placed_when_ready = false;  // its place is chosen when it can begin
  bool stays_on_host = false;         // it runs on the host, where its blocks have always been
  Place place = kHost;
  Place slot_at = kHost;        // whose slot it takes, if it takes one: it may go on elsewhere
  lwt::Event* ended = nullptr;  // of the thread that waits for this task

  // The second line: what else a submission needs.
  SubmitIndex submit_index = 0;
  std::uint64_t number = 0;  // among the user's tasks, from 1; 0: none of those
  Task* next = nullptr;      // in its store, or its list
  int priority = 0;

 private:
  int edges_ = 0;
  std::atomic<std::uintptr_t> successors_{0};
  int refs_ = 0;                      // TaskRefs; under TaskOrder's lock
  SubmitIndex newest_successor_ = 0;  // under TaskOrder's lock
  TaskStore& store_;

 public:
  std::array<Place, kMostAccesses>
      where;  // the place whose memory of each block it uses; Mover chooses

  explicit Task(TaskStore& store) : store_(store) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // By the thread that submits the task, as the functions from here to Submitted.
  void Begin(const Kernel& kernel, std::span<const std::byte> scalars, SubmitIndex index) {
    kernel_ = &kernel;
    accesses_count_ = 0;
    edges_ = 0;
    commutes_ = false;
    scalar_bytes_ = static_cast<std::uint8_t>(scalars.size());
    std::copy(scalars.begin(), scalars.end(), scalars_.begin());
    submit_index = index;
    unmet_.store(kBeingSubmitted, std::memory_order_relaxed);
    successors_.store(0, std::memory_order_relaxed);
  }
  void Add(const TaskAccess& access, const Tile& tile) {
    Set(accesses_count_++, access, tile);
    if (Commutes(access.mode)) [[unlikely]] {
      commutes_ = true;
    }
  }
  void Set(std::size_t index, const TaskAccess& access, const Tile& tile) {
    accesses_[index] = access;
    tiles_[index] = tile;
  }

  const Kernel& kernel() const { return *kernel_; }
  std::span<const TaskAccess> accesses() const { return {accesses_.data(), accesses_count_}; }
  // The user's memory of its blocks when it was submitted.
  std::span<const Tile> tiles() const { return {tiles_.data(), accesses_count_}; }
  // Of the access of that index: is its block in memory of the task's own place?
  bool IsHere(std::size_t access) const { return where[access] == place; }
  std::span<const std::byte> scalars() const { return {scalars_.data(), scalar_bytes_}; }
  // It runs when it has acquired the blocks that it changes in any order (order/exclusions.h).
  bool commutes() const { return commutes_; }
  bool computes() const { return kind == TaskKind::kComputes; }

  // This task begins after `other`, unless that has ended.
  void ComeAfter(Task& other) {
    if (other.newest_successor_ == submit_index) return;  // Another block has said so.
    other.newest_successor_ = submit_index;
    std::uintptr_t first = other.successors_.load(std::memory_order_acquire);
    if ((first & kEnded) != 0) return;
    Edge& edge = NewEdge();
    edge.task = this;
    do {
      edge.next = reinterpret_cast<Edge*>(first);
      if (other.successors_.compare_exchange_weak(first, reinterpret_cast<std::uintptr_t>(&edge),
                                                  std::memory_order_acq_rel,
                                                  std::memory_order_acquire)) {
        return;
      }
    } while ((first & kEnded) == 0);
    --edges_;
  }

  // True: the task can begin, and no Release returns true. Else one will, or has already.
  bool Submitted() { return edges_ == 0 || Release(kBeingSubmitted - edges_); }
  // One of the tasks that it waits for has ended. True, once: it can begin.
  bool Release(int count = 1) {
    return unmet_.fetch_sub(count, std::memory_order_acq_rel) == count;
  }

  // The task has ended; its memory may be another task's then. Calls `ready(task)` for each
  // successor that can begin now.
  template <typename Ready>
  inline void End(Ready ready);

  // A task of a graph (graph.h), which runs again and again: it begins after so many tasks of the
  // graph, and `successors` come after it.
  void RunAgain(GraphTasks& graph, std::span<Task* const> successors, int predecessors) {
    graph_ = &graph;
    graph_successors_ = successors;
    predecessors_ = predecessors;
    unmet_.store(predecessors, std::memory_order_relaxed);
  }
  void SetTile(std::size_t access, const Tile& tile) { tiles_[access] = tile; }
  GraphTasks* graph() const { return graph_; }  // null: of none
  // As End, until the graph's next run. True: it has no successors. Once all successors are ready
  // the graph may end.
  template <typename Ready>
  bool EndForNow(Ready ready) {
    const std::span<Task* const> successors = graph_successors_;
    for (Task* const task : successors) {
      if (!task->Release()) continue;
      task->unmet_.store(task->predecessors_, std::memory_order_relaxed);  // for the next time
      ready(*task);
    }
    return successors.empty();
  }
  // Calls `after(other)` for each successor. Under TaskOrder's lock, while this task cannot end.
  template <typename After>
  void ForEachAfter(After after) const {
    const std::uintptr_t first =
        successors_.load(std::memory_order_acquire) & ~(kEnded | kUnreferenced);
    for (auto* edge = reinterpret_cast<const Edge*>(first); edge != nullptr; edge = edge->next) {
      after(*edge->task);
    }
  }
  bool has_ended() const { return (successors_.load(std::memory_order_acquire) & kEnded) != 0; }

 private:
  friend class TaskRef;
  struct Edge {
    Task* task = nullptr;
    Edge* next = nullptr;
  };
  Edge& NewEdge() {
    const auto at = static_cast<std::size_t>(edges_++);
    if (at < some_edges_.size()) return some_edges_[at];
    const std::size_t more = at - some_edges_.size();
    if (more == more_edges_.size()) more_edges_.push_back(std::make_unique<Edge>());
    return *more_edges_[more];
  }
  inline void Unref();

  // In successors_, besides the address of the newest edge.
  static constexpr std::uintptr_t kEnded = 1, kUnreferenced = 2;
  static constexpr int kBeingSubmitted = 1 << 30;  // More tasks than it ever waits for.

  std::array<TaskAccess, kMostAccesses> accesses_;
  std::array<Tile, kMostAccesses> tiles_;
  std::array<Edge, 8> some_edges_;
  std::vector<std::unique_ptr<Edge>> more_edges_;
  alignas(16) std::array<std::byte, kMostScalarBytes> scalars_;
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
  if (has_ended() ||
      (successors_.fetch_or(kUnreferenced, std::memory_order_acq_rel) & kEnded) != 0) {
    store_.Free(*this);
  }
}

template <typename Ready>
void Task::End(Ready ready) {
  const std::uintptr_t after = successors_.exchange(kEnded, std::memory_order_acq_rel);
  if ((after & kUnreferenced) != 0) store_.GiveBack(*this);
  Edge* edge = reinterpret_cast<Edge*>(after & ~kUnreferenced);
  while (edge != nullptr) {
    Edge* const next = edge->next;  // The edge is the other task's, which may end at once.
    Task& task = *edge->task;
    if (task.Release()) ready(task);
    edge = next;
  }
}

}  // namespace taskrt
