// The places of tasks: the one writer of a task's place and of the facts that follow from a place.
//
// Threads: one at a time; TaskOrder guards it, as BlockRecord::has_been_on_device.
#pragma once

#include <algorithm>
#include <vector>

#include "taskrt/order/planned_replicas.h"
#include "taskrt/place.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task.h"

namespace taskrt {

// Are there places other than the host?
enum class Devices { kNone, kSome };
// Which tasks of the host wait for a worker of it, by priority.
enum class HostTasks { kWithPriority, kAll };

// A resource. The planned replicas outlive it.
class Placement {
 public:
  Placement(PlannedReplicas& planned, Devices devices, HostTasks waiting)
      : planned_(planned), has_devices_(devices == Devices::kSome), waiting_(waiting) {}

  // The task is new: it has no place, and takes no slot.
  static void Clear(Task& task) {
    task.place_ = kWhenReady;
    task.takes_slot_ = task.is_placed_when_ready_ = task.stays_on_host_ = false;
  }
  // The task is submitted; kWhenReady: its place will be chosen when it can begin.
  void Submit(Task& task, Place place) {
    task.is_placed_when_ready_ = place == kWhenReady;
    task.takes_slot_ = TakesSlot(task, place);
    if (place != kWhenReady) return Commit(task, place);
    task.place_ = place;
    has_deferred_ = true;
    if (has_devices_) MarkOnDevice(task);
  }
  // The task's place is chosen, or is another one as its device is lost. The writers of a block
  // come here in their order; readers in any order between these, and commutative tasks as they
  // were submitted or can begin.
  void Commit(Task& task, Place place) {
    task.place_ = place;
    Note(task.number, place);
    task.stays_on_host_ = StaysOnHost(task, place);
    if (task.stays_on_host_) return;
    if (place != kHost) MarkOnDevice(task);
    // Tasks before a wait or a prefetch may have no place yet.
    if (task.computes() || !has_deferred_) planned_.Commit(task);
  }
  // A wait or a prefetch has run: only now all tasks before it have places, if some were deferred.
  void CommitLate(const Task& task) {
    if (has_deferred_) planned_.Commit(task);
  }

  // By number of the task - 1.
  const std::vector<Place>& places() const { return places_; }

 private:
  // A wait or a prefetch computes nothing, and takes no slot. Nor does a task of the host without a
  // priority: it is a thread at once, in the order of the pool. Where there are no devices all of
  // the host's are, unless the program asks otherwise: the newest first finds its blocks in caches,
  // which mostly counts more (a factorization by two workers was 8 % slower by priority).
  bool TakesSlot(const Task& task, Place place) const {
    const bool waits_for_worker =
        waiting_ == HostTasks::kAll || (task.priority != 0 && has_devices_);
    return (place != kHost || waits_for_worker) && task.computes();
  }
  // A commutative task may run after others that were submitted later.
  bool StaysOnHost(const Task& task, Place place) const {
    const bool keeps_order = !task.commutes() || !has_devices_;
    return place == kHost && keeps_order &&
           std::none_of(task.accesses().begin(), task.accesses().end(),
                        [](const TaskAccess& access) { return access.block->has_been_on_device; });
  }
  static void MarkOnDevice(const Task& task) {
    for (const TaskAccess& access : task.accesses()) access.block->has_been_on_device = true;
  }
  void Note(std::uint64_t number, Place place) {
    if (number == places_.size() + 1) {
      places_.push_back(place);
    } else if (number > 0) {
      if (places_.size() < number) places_.resize(number, kWhenReady);
      places_[number - 1] = place;
    }
  }

  PlannedReplicas& planned_;
  const bool has_devices_;
  const HostTasks waiting_;
  bool has_deferred_ = false;  // some task's place was not chosen at its submission
  std::vector<Place> places_;
};

}  // namespace taskrt
