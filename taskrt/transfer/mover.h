// Brings blocks to where tasks are about to run: pins memory for them (transfer/device_cache.h) and
// asks for the copies that are missing (transfer/copier.h).
//
// Locks: a device's, then a block's. A task that waits for memory has no blocks pinned, so that of
// the tasks that wait one always goes on.
//
// Threads: lightweight ones.
//
// Source: [WLBS20] section 3.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/device.h"
#include "taskrt/plan/plan.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/transfer/copier.h"
#include "taskrt/transfer/device_cache.h"
#include "taskrt/transfer/lost_devices.h"
#include "taskrt/transfer/mover_options.h"

namespace taskrt {

// A value: what a kernel begins with.
class Prepared {
 public:
  void Add(const Tile& tile) { tiles_.push_back(tile); }
  void Await(Ticket ticket) { arrived_.push_back(ticket); }

  std::span<const Tile> tiles() const { return tiles_; }
  // The tickets that it begins after.
  std::span<const Ticket> arrived() const { return arrived_; }

 private:
  std::vector<Tile> tiles_;
  std::vector<Ticket> arrived_;
};

// How a task's kernel has ended.
enum class KernelEnd { kDone, kFailed };

// A resource. The devices and blocks outlive it.
class Mover {
 public:
  // `recorder`: of copies and allocations; null: nothing is traced.
  Mover(std::span<const std::unique_ptr<Device>> devices, const MoverOptions& options,
        Recorder* recorder);

  // Each task, once its place is known, in order; and when it has ended, whether it has run or not.
  void Announce(const Task& task) {
    if (is_bounded_) AddUses(task);
  }
  void Retire(const Task& task) {
    if (is_bounded_) RemoveUses(task);
  }

  // Everything that the task reads is on its way to its place, or there; on the host it is there.
  // Until Finish nothing of it is taken away. Not for a task whose blocks have never left the host
  // (Task::stays_on_host), as Finish. ResourceExhausted: its blocks are more than the device's
  // memory.
  absl::Status Prepare(Task& task, Prepared& prepared);
  // What was asked for has come to the place, where no kernel was launched for it.
  absl::Status Await(Place place, const Prepared& prepared);
  // The task's kernel has ended. DataLoss: it has failed, and cannot run again, since it was
  // changing the only place that had a value that it reads.
  absl::Status Finish(const Task& task, KernelEnd end);

  // The block's newest value is in the user's memory, unless a task is writing it. DataLoss: only
  // devices that are lost had it.
  absl::Status WriteBack(BlockRecord& block);
  // That, and no device has memory for it but for running tasks of it.
  absl::Status LeaveDevices(BlockRecord& block);
  // No device has memory for the block any more, and what only they had is lost. No task uses it.
  absl::Status Discard(BlockRecord& block);

  // Is there memory for so much at the place, with nothing else there?
  bool CanHold(Place place, std::uint64_t bytes) {
    return place == kHost || CacheAt(place).capacity() == 0 || bytes <= CacheAt(place).capacity();
  }

  const LostDevices& lost() const { return lost_; }
  // Notes which devices are lost as the task's kernel, which may have used other devices' memory,
  // has returned `status`. Returns that, or what is known of the other device then.
  absl::Status NoteOfKernel(const Task& task, absl::Status status);

  // No device has memory for any block any more. There are no tasks, and nothing is written back.
  void FreeAll();

  CopyCounts counts() const { return copier_.counts(); }
  // By which a plan copies as this does. Of devices whose memories differ it has the least.
  PlanOptions plan_options() const;

 private:
  DeviceCache& CacheAt(Place place) { return *caches_[static_cast<std::size_t>(place - 1)]; }
  static void AddUses(const Task& task);
  static void RemoveUses(const Task& task);
  void ChooseWhere(Task& task);
  Place PinElsewhere(BlockRecord& block, Place place);
  absl::Status MakeRoom(Task& task);
  absl::Status BringAll(Task& task, Prepared& prepared);
  static void BeginWrites(const Task& task);
  absl::Status ChangedInPart(const Task& task, std::size_t access);
  void DropStale(BlockRecord& block, const Replicas& before, Place newest);
  void Unpin(const Task& task);
  void UnpinElsewhere(const Task& task);

  const MoverOptions options_;
  LostDevices lost_;
  Copier copier_;
  std::vector<std::unique_ptr<DeviceCache>> caches_;
  bool is_bounded_ = false;  // some device's memory is
};

}  // namespace taskrt
