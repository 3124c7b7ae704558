// The places of tasks as they are chosen, where each block's newest value will be when these tasks
// have run (BlockRecord::planned_replicas), and the least copies for that.
//
// Threads: one at a time; TaskOrder guards it, as BlockRecord::planned_replicas.
#pragma once

#include <algorithm>
#include <vector>

#include "taskrt/place.h"
#include "taskrt/plan/plan.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task.h"

namespace taskrt {

// Are there places other than the host?
enum class Devices { kNone, kSome };

// A resource.
class PlannedReplicas {
 public:
  explicit PlannedReplicas(Devices devices) : has_devices_(devices == Devices::kSome) {}

  // The task's place is chosen. The writers of a block come here in their order; readers in any
  // order between these, and commutative tasks as they were submitted or can begin.
  void CommitPlacement(Task& task, Place place) {
    task.place = place;
    if (task.number == placed_.size() + 1) {
      placed_.push_back(place);
    } else if (task.number > 0) {
      if (placed_.size() < task.number) placed_.resize(task.number, kWhenReady);
      placed_[task.number - 1] = place;
    }
    // A commutative task may run after others that were submitted later.
    const bool keeps_order = !task.commutes() || !has_devices_;
    task.stays_on_host =
        place == kHost && keeps_order &&
        std::none_of(task.accesses().begin(), task.accesses().end(),
                     [](const TaskAccess& access) { return access.block->has_been_on_device; });
    if (task.stays_on_host) return;
    if (place != kHost) MarkOnDevice(task);
    // Tasks before a wait or a prefetch may have no place yet.
    if (task.computes() || !has_deferred_) Commit(task);
  }
  // The task's place will be chosen when it can begin.
  void DeferPlacement(const Task& task) {
    has_deferred_ = true;
    if (has_devices_) MarkOnDevice(task);
  }
  // A wait or a prefetch has run: only now all tasks before it have places, if some were deferred.
  void CommitLate(const Task& task) {
    if (has_deferred_) Commit(task);
  }
  // The block's newest value will be read at the place.
  void Read(BlockRecord& block, Place place) {
    if (block.planned_replicas.IsAt(place)) return;
    block.planned_replicas.Arrived(place);
    ++least_.copies;
    least_.bytes += block.host.bytes();
  }

  // By number of the task - 1.
  const std::vector<Place>& placed() const { return placed_; }
  CopyCount least() const { return least_; }

 private:
  static void MarkOnDevice(const Task& task) {
    for (const TaskAccess& access : task.accesses()) access.block->has_been_on_device = true;
  }
  void Commit(const Task& task) {
    for (const TaskAccess& access : task.accesses()) {
      if (Reads(access.mode)) Read(*access.block, task.place);
      if (Writes(access.mode)) access.block->planned_replicas.Written(task.place);
      if (IsLastUse(access)) access.block->planned_replicas = Replicas();
    }
  }

  const bool has_devices_;
  bool has_deferred_ = false;  // of some tasks
  std::vector<Place> placed_;
  CopyCount least_;
};

}  // namespace taskrt
