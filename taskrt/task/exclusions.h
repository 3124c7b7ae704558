// Which commutative tasks run: of those of a block one at a time, in the order in which they ask.
// A task asks for its blocks in one order that all keep, and has those that it got while it waits
// for the next: tasks never wait for each other around.
//
// `Task` is whatever names a task.
//
// Threads: one at a time.
#pragma once

#include <deque>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "taskrt/ids.h"

namespace taskrt {

// A value.
template <typename Task>
class Exclusions {
 public:
  // `blocks`: ascending. True: the task has all of them. Else it waits, and some Release says when
  // it has.
  bool Take(Task task, std::span<const BlockId> blocks) {
    return Continue({std::move(task), {blocks.begin(), blocks.end()}});
  }

  // A task that had all of these ended. Calls `ready(task)` for each that now has all of its own.
  template <typename Ready>
  void Release(std::span<const BlockId> blocks, Ready ready) {
    for (const BlockId block : blocks) {
      const auto held = held_.find(block);
      if (held->second.empty()) {
        held_.erase(held);
        continue;
      }
      Waiting next = std::move(held->second.front());  // It has the block now.
      held->second.pop_front();
      ++next.got;
      Task task = next.task;
      if (Continue(std::move(next))) ready(task);
    }
  }

 private:
  struct Waiting {
    Task task;
    std::vector<BlockId> blocks;
    std::size_t got = 0;  // of them
  };

  bool Continue(Waiting one) {
    while (one.got < one.blocks.size()) {
      const auto [held, is_free] = held_.try_emplace(one.blocks[one.got]);
      if (!is_free) {
        held->second.push_back(std::move(one));
        return false;
      }
      ++one.got;
    }
    return true;
  }

  std::unordered_map<BlockId, std::deque<Waiting>> held_;  // the tasks that wait for it
};

}  // namespace taskrt
