// A task that was submitted, until it has ended and nobody names it any more.
//
// What it waits for is a count; what waits for it, a list that is closed when it has ended. Both
// are changed by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/access.h"
#include "taskrt/kernel.h"
#include "taskrt/place.h"
#include "taskrt/residents.h"

namespace taskrt {

struct Block;
class Task;

// A value.
struct TaskAccess {
  Block* block = nullptr;
  Mode mode = Mode::kIn;
};

// Counted: the last one frees the task.
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
  // Gives up naming it without counting, and the other way around: for who has no room for this.
  void Keep() && { task_ = nullptr; }
  static TaskRef Kept(Task& task) {
    TaskRef ref;
    ref.task_ = &task;
    return ref;
  }
  Task& operator*() const { return *task_; }
  Task* operator->() const { return task_; }

 private:
  Task* task_ = nullptr;
};

class Task {
 public:
  static constexpr std::size_t kMostAccesses = 8;
  static constexpr std::size_t kMostScalarBytes = 64;

  Task(const Kernel& kernel, std::span<const TaskAccess> accesses,
       std::span<const std::byte> scalars)
      : kernel_(kernel), accesses_count_(accesses.size()), scalar_bytes_(scalars.size()) {
    std::copy(accesses.begin(), accesses.end(), accesses_.begin());
    std::copy(scalars.begin(), scalars.end(), scalars_.begin());
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const Kernel& kernel() const { return kernel_; }
  std::span<const TaskAccess> accesses() const { return {accesses_.data(), accesses_count_}; }
  // Of the access of that index: is its block in memory of the task's own place?
  bool IsHere(std::size_t access) const { return where[access] == place; }
  std::span<const std::byte> scalars() const { return {scalars_.data(), scalar_bytes_}; }

  Turn turn = 0;
  int priority = 0;
  Place place = kHost;
  std::array<Place, kMostAccesses> where{};  // the memory that is used of each block; by the mover
  bool was_late = false;                     // its place was chosen when it was ready
  lwt::Event* ended = nullptr;               // of who waits for this one

  // This begins after `other`, unless that has ended. By who submits this.
  void ComeAfter(Task& other) {
    if (other.newest_after_ == turn) return;  // It was named before.
    other.newest_after_ = turn;
    Edge& edge = NewEdge();
    waits_for_.fetch_add(1, std::memory_order_relaxed);
    Edge* first = other.after_.load(std::memory_order_acquire);
    do {
      if (first == Ended()) {
        waits_for_.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
      edge.next = first;
    } while (!other.after_.compare_exchange_weak(first, &edge, std::memory_order_acq_rel,
                                                 std::memory_order_acquire));
  }

  // By who submits it, last, and by each that it waited for. True, once: it can begin.
  bool Release() { return waits_for_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  // It has ended. Calls `ready(task)` for each that can begin now.
  template <typename Ready>
  void End(Ready ready) {
    Edge* edge = after_.exchange(Ended(), std::memory_order_acq_rel);
    while (edge != nullptr) {
      Edge* const next = edge->next;  // The edge is the other task's, which may end at once.
      Task& task = *edge->task;
      if (task.Release()) ready(task);
      edge = next;
    }
  }
  bool has_ended() const { return after_.load(std::memory_order_acquire) == Ended(); }

 private:
  friend class TaskRef;
  struct Edge {
    Task* task = nullptr;
    Edge* next = nullptr;
  };
  static Edge* Ended() { return reinterpret_cast<Edge*>(1); }
  Edge& NewEdge() {
    Edge& edge = edges_ < some_edges_.size() ? some_edges_[edges_]
                                             : *more_edges_.emplace_back(std::make_unique<Edge>());
    ++edges_;
    edge.task = this;
    return edge;
  }

  const Kernel& kernel_;
  std::array<TaskAccess, kMostAccesses> accesses_;
  std::size_t accesses_count_;
  alignas(16) std::array<std::byte, kMostScalarBytes> scalars_;
  std::size_t scalar_bytes_;

  std::atomic<int> references_{0};
  std::atomic<int> waits_for_{1};
  std::atomic<Edge*> after_{nullptr};
  Turn newest_after_ = 0;  // of who came after this last; under the runtime's order lock
  std::size_t edges_ = 0;
  std::array<Edge, 8> some_edges_;
  std::vector<std::unique_ptr<Edge>> more_edges_;
};

TaskRef::TaskRef(Task& task) : task_(&task) {
  task.references_.fetch_add(1, std::memory_order_relaxed);
}
TaskRef::TaskRef(const TaskRef& other) : task_(other.task_) {
  if (task_ != nullptr) task_->references_.fetch_add(1, std::memory_order_relaxed);
}
TaskRef::~TaskRef() {
  if (task_ != nullptr && task_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete task_;
  }
}

}  // namespace taskrt
