// The commutative tasks of a runtime that can begin, each of which runs when it has acquired its
// blocks (task/exclusions.h).
//
// Threads: any. No other lock is taken under this one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/task/block.h"
#include "taskrt/task/exclusions.h"
#include "taskrt/task/task.h"
#include "topo/mutex.h"

namespace taskrt {

// A resource.
class CommutativeTasks {
 public:
  // True: the task has its blocks. False: some Release says when it has.
  bool Acquire(Task& task) {
    const Blocks blocks(task);
    const topo::Lock lock(mutex_);
    return exclusions_.Take(&task, blocks);
  }
  // The task has ended. Calls `ready(task)`, without the lock, for each that now has its blocks.
  template <typename Ready>
  void Release(const Task& task, Ready ready) {
    const Blocks blocks(task);
    TaskList next;
    {
      const topo::Lock lock(mutex_);
      exclusions_.Release(blocks, [&](Task* other) { next.Add(*other); });
    }
    next.ForEach(ready);
  }

 private:
  // A value: the blocks that the task changes in any order, ascending.
  class Blocks {
   public:
    explicit Blocks(const Task& task) {
      std::span<BlockId> room = some_;
      if (task.accesses().size() > some_.size()) {
        many_.resize(task.accesses().size());
        room = many_;
      }
      std::size_t count = 0;
      for (const TaskAccess& access : task.accesses()) {
        if (Commutes(access.mode)) room[count++] = access.block->id;
      }
      all_ = room.first(count);
      std::sort(all_.begin(), all_.end());
    }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;
    operator std::span<const BlockId>() const { return all_; }

   private:
    std::array<BlockId, 8> some_;
    std::vector<BlockId> many_;  // where these are too few
    std::span<BlockId> all_;
  };

  topo::Mutex mutex_;
  Exclusions<Task*> exclusions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
