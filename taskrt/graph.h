// Tasks that are run again and again: who comes after whom, and after how many, is found once.
//
//   taskrt::Graph step(*runtime);
//   step.Submit(sweep, {{a, taskrt::Mode::kIn}, {b, taskrt::Mode::kInOut}});
//   step.Submit(sweep, {{b, taskrt::Mode::kIn}, {a, taskrt::Mode::kInOut}});
//   for (int i = 0; i < 1000; ++i) status.Update(step.Run());
//
// Among other tasks a run is as one that accesses all of its blocks. What is on devices stays there
// until somebody waits for it.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <map>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "lwt/event.h"
#include "taskrt/kernel.h"
#include "taskrt/order/block_order.h"
#include "taskrt/order/task.h"
#include "taskrt/runtime.h"

namespace taskrt {

// A resource. The runtime, the kernels and the blocks outlive it; of a runtime that computes.
class Graph {
 public:
  explicit Graph(Runtime& runtime);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // As Runtime::Submit, but for later.
  void Submit(const Kernel& kernel, std::span<const Access> accesses,
              std::span<const std::byte> scalars = {}, int priority = 0);
  void Submit(const Kernel& kernel, std::initializer_list<Access> accesses,
              std::span<const std::byte> scalars = {}, int priority = 0) {
    Submit(kernel, std::span(accesses.begin(), accesses.size()), scalars, priority);
  }

  // Runs all of them, and returns when they have ended. The first error so far, as
  // Runtime::Wait, which tells it again. FailedPrecondition: a task calls it that it would wait
  // for.
  absl::Status Run();

  std::size_t size() const { return nodes_.size(); }
  // Of the run that goes on: the task that all of them are parts of.
  const Task& whole() const { return *run_; }
  // Its task that was last submitted so; null: none of them.
  Task* Find(Turn turn) const {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                    [&](const Node& node) { return node.task->turn == turn; });
    return found == nodes_.end() ? nullptr : found->task;
  }

 private:
  friend class Runtime;
  struct Node {
    Task* task = nullptr;
    std::vector<Task*> then;  // who comes after it
    int comes_after = 0;
  };
  struct OfBlock {
    Handle handle;
    bool is_written = false;
    BlockOrder<std::size_t> order;  // of nodes
  };

  void RunTasks();
  // One after which nobody comes.
  void LastEnded() {
    if (lasts_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) ended_.Set();
  }

  Runtime& runtime_;
  const Kernel whole_;
  const Task* run_ = nullptr;  // of whole_, while it goes on
  TaskStore store_;
  std::deque<Node> nodes_;
  std::map<Block*, OfBlock> blocks_;
  std::uint64_t prepared_for_ = 0;  // the runtime's state of tiles; zero: not yet
  std::vector<Task*> firsts_;
  std::size_t lasts_ = 0;
  std::atomic<std::size_t> lasts_left_{0};
  lwt::Event ended_;
};

}  // namespace taskrt
