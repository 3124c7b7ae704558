// Blocks whose value is missing, as a task that was to write it was left out (completion.h)
// or has failed (RuntimeOptions::stops_at_errors), and what that means for the tasks that come
// after.
//
// Threads: one at a time; TaskOrder guards it.
#pragma once

#include <span>
#include <unordered_map>

#include "taskrt/access.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task_call.h"

namespace taskrt {

// A value. None at first.
class MissingValues {
 public:
  // Does a task with this access read a value that is missing? Commutative tasks and reductions of
  // one group do not read each other's: they miss what came before their group.
  bool IsMissingFor(const TaskAccess& access) {
    if (!Reads(access.mode)) return false;
    const auto found = for_whom_.find(access.block);
    if (found == for_whom_.end()) return false;
    if (found->second == ForWhom::kAfterTheGroup && Commutes(access.mode)) return false;
    found->second = ForWhom::kAll;  // The group has ended.
    return true;
  }
  // The task of this access is left out.
  void LeftOut(const TaskAccess& access) {
    if (!Writes(access.mode)) return;
    // The values that other tasks have added to the partial block are not lost.
    BlockRecord* const block =
        access.block->partial_of == nullptr ? access.block : access.block->partial_of;
    const ForWhom whom = Commutes(access.mode) ? ForWhom::kAfterTheGroup : ForWhom::kAll;
    const auto [at, is_new] = for_whom_.emplace(block, whom);
    if (!is_new && whom == ForWhom::kAll) at->second = whom;
  }
  // It has failed, whatever it has written. Of a reduction the partial block: the task that adds it
  // to the block is left out then.
  void Failed(const TaskAccess& access) {
    if (Writes(access.mode)) for_whom_[access.block] = ForWhom::kAll;
  }
  // It runs.
  void Written(const TaskAccess& access) {
    if (access.mode == Mode::kOut) for_whom_.erase(access.block);
  }
  // From a block to its parts or back: of the blocks that are read one is missing.
  void Pass(std::span<const TaskAccess> accesses) {
    bool is_missing = false;
    for (const TaskAccess& access : accesses) {
      is_missing = (Reads(access.mode) && for_whom_.contains(access.block)) || is_missing;
    }
    for (const TaskAccess& access : accesses) {
      if (access.mode != Mode::kOut) continue;
      if (is_missing) {
        for_whom_[access.block] = ForWhom::kAll;
      } else {
        for_whom_.erase(access.block);
      }
    }
  }
  void Forget(BlockRecord& block) { for_whom_.erase(&block); }

 private:
  enum class ForWhom { kAll, kAfterTheGroup };

  std::unordered_map<BlockRecord*, ForWhom> for_whom_;
};

}  // namespace taskrt
