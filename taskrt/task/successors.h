// The tasks that come after a task, as a list that is closed when the task has ended, and how many
// tasks it comes after itself. Which these are, block_order.h says.
//
// Threads: any, but for the functions from Begin to Submitted, which are for the thread that
// submits the task, under TaskOrder's lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "taskrt/ids.h"

namespace taskrt {

class Task;

// A resource of a task.
class Successors {
 public:
  void Begin() {
    edges_ = 0;
    unmet_.store(kBeingSubmitted, std::memory_order_relaxed);
    successors_.store(0, std::memory_order_relaxed);
  }
  // `task`, of this and of that number, begins after the task of `other`, unless that has ended.
  void ComeAfter(Successors& other, Task& task, SubmitIndex index) {
    if (other.newest_successor_ == index) return;  // Another block has said so.
    other.newest_successor_ = index;
    std::uintptr_t first = other.successors_.load(std::memory_order_acquire);
    if ((first & kEnded) != 0) return;
    Edge& edge = NewEdge();
    edge.task = &task;
    // A completion finds tasks that no block refers to any more: the flag stays.
    do {
      edge.next = EdgeOf(first);
      if (other.successors_.compare_exchange_weak(
              first, reinterpret_cast<std::uintptr_t>(&edge) | (first & kUnreferenced),
              std::memory_order_acq_rel, std::memory_order_acquire)) {
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
  // It waits for so many again.
  void Await(int predecessors) { unmet_.store(predecessors, std::memory_order_relaxed); }

  bool has_ended() const { return (successors_.load(std::memory_order_acquire) & kEnded) != 0; }
  // True: Close was called before. Else it will return kUnreferenced.
  bool TryLeave() {
    return has_ended() ||
           (successors_.fetch_or(kUnreferenced, std::memory_order_acq_rel) & kEnded) != 0;
  }
  // The task has ended. Returns its successors, with kUnreferenced if TryLeave came before.
  std::uintptr_t Close() { return successors_.exchange(kEnded, std::memory_order_acq_rel); }
  static bool IsUnreferenced(std::uintptr_t closed) { return (closed & kUnreferenced) != 0; }

  // Calls `visit(task)` for each successor of Close's result, which may end at once.
  template <typename Visit>
  static void ForEach(std::uintptr_t closed, Visit visit) {
    for (auto* edge = EdgeOf(closed); edge != nullptr;) {
      Edge* const next = edge->next;  // The edge is the other task's.
      visit(*edge->task);
      edge = next;
    }
  }
  // Of a task that cannot end meanwhile.
  template <typename Visit>
  void ForEachSuccessor(Visit visit) const {
    ForEach(successors_.load(std::memory_order_acquire), visit);
  }

 private:
  struct Edge {
    Task* task = nullptr;
    Edge* next = nullptr;
  };
  static Edge* EdgeOf(std::uintptr_t successors) {
    return reinterpret_cast<Edge*>(successors & ~(kEnded | kUnreferenced));
  }
  Edge& NewEdge() {
    const auto at = static_cast<std::size_t>(edges_++);
    if (at < some_edges_.size()) return some_edges_[at];
    const std::size_t more = at - some_edges_.size();
    if (more == more_edges_.size()) more_edges_.push_back(std::make_unique<Edge>());
    return *more_edges_[more];
  }

  // In successors_, besides the address of the newest edge.
  static constexpr std::uintptr_t kEnded = 1, kUnreferenced = 2;
  static constexpr int kBeingSubmitted = 1 << 30;  // More tasks than it ever waits for.

  std::atomic<int> unmet_{0};
  int edges_ = 0;
  std::atomic<std::uintptr_t> successors_{0};
  SubmitIndex newest_successor_ = 0;
  std::array<Edge, 8> some_edges_;
  std::vector<std::unique_ptr<Edge>> more_edges_;
};

}  // namespace taskrt
