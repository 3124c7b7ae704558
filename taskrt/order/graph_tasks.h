// The tasks of a graph (graph.h), each with those that come after it.
//
// Threads: one at a time; TaskOrder guards it by its lock, but for RunAll and LastEnded: those are
// for the one run that goes on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "lwt/contract.h"
#include "lwt/event.h"
#include "taskrt/handle.h"
#include "taskrt/order/block_table.h"
#include "taskrt/task/block.h"
#include "taskrt/task/block_order.h"
#include "taskrt/task/submission.h"
#include "taskrt/task/task.h"

namespace taskrt {

// A resource.
class GraphTasks {
 public:
  GraphTasks() = default;
  GraphTasks(const GraphTasks&) = delete;
  GraphTasks& operator=(const GraphTasks&) = delete;

  // `table`: of its blocks.
  void Add(const Submission& submission, const BlockTable& table) {
    Task& task = store_.New();
    task.Begin(submission.kernel, submission.scalars, 0);
    table.AddAccesses(task, submission.accesses);
    const TaskOptions& options = submission.options;
    lwt::CheckContract(
        options.after.empty() && options.ended == nullptr,
        "a task of a graph comes after others by its accesses alone, and has no event");
    task.priority = options.priority;
    const std::size_t number = nodes_.size();
    Node& node = nodes_.emplace_back();
    node.task = &task;
    node.asked = options.place;
    for (const Access& access : submission.accesses) {
      OfBlock& of_block = blocks_[&BlockTable::Of(access.handle)];
      of_block.handle = access.handle;
      of_block.is_written = of_block.is_written || Writes(access.mode);
      of_block.order.Add(number, access.mode, [&](std::size_t other) {
        std::vector<Task*>& successors = nodes_[other].successors;
        if (!successors.empty() && successors.back() == &task) return;
        successors.push_back(&task);
        ++node.predecessors;
      });
    }
    prepared_for_ = kNever;
  }

  std::size_t size() const { return nodes_.size(); }
  // Calls `use(handle, mode)` for each block, with what the graph as a whole does to it.
  template <typename Use>
  void ForEachBlock(Use use) const {
    for (const auto& [block, of_block] : blocks_) {
      use(of_block.handle, of_block.is_written ? Mode::kInOut : Mode::kIn);
    }
  }

  // The task that the run is which goes on; null: none.
  const Task* run() const { return run_; }
  void Begin(const Task& run) { run_ = &run; }
  void End() { run_ = nullptr; }
  // Its task that was last submitted so; null: none of them.
  Task* Find(SubmitIndex index) const {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& node) {
      return node.task->submit_index == index;
    });
    return found == nodes_.end() ? nullptr : found->task;
  }

  // Calls `number_and_place(task, asked)` for each, `asked` of its options. `moves`: BlockTable's.
  // While that is the same, and no task's place is chosen when it is ready, nothing has to be
  // prepared on the host alone.
  template <typename NumberAndPlace>
  void Prepare(std::uint64_t moves, NumberAndPlace number_and_place) {
    firsts_.clear();
    lasts_ = 0;
    bool is_any_deferred = false;
    for (Node& node : nodes_) {
      Task& task = *node.task;
      task.RunAgain(*this, node.successors, node.predecessors);
      for (std::size_t i = 0; i < task.accesses().size(); ++i) {
        task.call().SetTile(i, task.accesses()[i].block->host);
      }
      if (node.predecessors == 0) firsts_.push_back(&task);
      lasts_ += node.successors.empty();
      number_and_place(task, node.asked);
      is_any_deferred = is_any_deferred || task.is_placed_when_ready();
    }
    prepared_for_ = is_any_deferred ? kNever : moves;
  }
  bool IsPreparedFor(std::uint64_t moves) const { return prepared_for_ == moves; }

  // Starts those that come after none by `start(task)`, and returns when all have ended.
  template <typename Start>
  void RunAll(Start start) {
    if (nodes_.empty()) return;
    lasts_left_.store(lasts_, std::memory_order_relaxed);
    ended_.Reset();
    for (Task* const task : firsts_) start(*task);
    ended_.Wait("the tasks of a graph");
  }
  // A task without successors.
  void LastEnded() {
    if (lasts_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) ended_.Set();
  }

 private:
  static constexpr std::uint64_t kNever = 0;

  struct Node {
    Task* task = nullptr;
    Place asked = kAnyPlace;
    std::vector<Task*> successors;
    int predecessors = 0;
  };
  struct OfBlock {
    Handle handle;
    bool is_written = false;
    BlockOrder<std::size_t> order;  // of nodes
  };

  const Task* run_ = nullptr;
  TaskStore store_;
  std::deque<Node> nodes_;
  std::map<BlockRecord*, OfBlock> blocks_;
  std::uint64_t prepared_for_ = kNever;
  std::vector<Task*> firsts_;
  std::size_t lasts_ = 0;
  std::atomic<std::size_t> lasts_left_{0};
  lwt::Event ended_;
};

// The task, or the run of its graph.
inline const Task& OutermostOf(const Task& task) {
  return task.graph() == nullptr ? task : *task.graph()->run();
}

}  // namespace taskrt
