// Where each block's newest value will be when the tasks have run whose places are chosen
// (BlockRecord::planned_replicas), and the least copies for that.
//
// Threads: one at a time; TaskOrder guards it, as BlockRecord::planned_replicas.
#pragma once

#include "taskrt/place.h"
#include "taskrt/plan/plan.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task.h"

namespace taskrt {

// A value.
class PlannedReplicas {
 public:
  // The task will run at its place.
  void Commit(const Task& task) {
    for (const TaskAccess& access : task.accesses()) {
      if (Reads(access.mode)) Read(*access.block, task.place());
      if (Writes(access.mode)) access.block->planned_replicas.Written(task.place());
      if (IsLastUse(access)) access.block->planned_replicas = Replicas();
    }
  }
  // The block's newest value will be read at the place.
  void Read(BlockRecord& block, Place place) {
    if (block.planned_replicas.IsAt(place)) return;
    block.planned_replicas.Arrived(place);
    ++least_.copies;
    least_.bytes += block.host.bytes();
  }

  CopyCount least() const { return least_; }

 private:
  CopyCount least_;
};

}  // namespace taskrt
