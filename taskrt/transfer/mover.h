// Brings blocks to where tasks are about to run: finds memory for them, asks for the copies that
// are missing (transfer/replicas.h), and counts them.
//
// Locks: a device's, then a block's. Who waits for memory holds none of its device's blocks pinned,
// so that of those who wait one always goes on.
//
// Threads: lightweight ones.
//
// Source: [WLBS20] section 3.3.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "taskrt/device.h"
#include "taskrt/order/block.h"
#include "taskrt/order/task.h"
#include "taskrt/plan/plan.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/transfer/mover_options.h"

namespace taskrt {

// A value: what a kernel begins with.
class Prepared {
 public:
  void Add(const Tile& tile) { tiles_[tiles_count_++] = tile; }
  void Await(Ticket ticket) { arrived_[arrived_count_++] = ticket; }

  std::span<const Tile> tiles() const { return std::span(tiles_).first(tiles_count_); }
  // The tickets that it begins after.
  std::span<const Ticket> arrived() const { return std::span(arrived_).first(arrived_count_); }

 private:
  std::array<Tile, Task::kMostAccesses> tiles_;
  std::array<Ticket, Task::kMostAccesses> arrived_;
  std::size_t tiles_count_ = 0, arrived_count_ = 0;
};

// A resource. The devices and blocks outlive it.
class Mover {
 public:
  // `recorder`: of copies and allocations; null: nobody asks.
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
  // Until Finish nothing of it is taken away. Not for a task that is at home, as Finish.
  // ResourceExhausted: its blocks are more than the device's memory.
  absl::Status Prepare(Task& task, Prepared& prepared);
  // What was asked for has come to the place, where no kernel was launched for it.
  absl::Status Await(Place place, const Prepared& prepared);
  // Its kernel is done, or has failed. DataLoss: then it cannot run again, since it was changing
  // the only place that had what it reads.
  absl::Status Finish(const Task& task, bool has_run);

  // Its newest value is in the user's memory, unless a task is writing it. DataLoss: only devices
  // that are lost had it.
  absl::Status BringHome(Block& block);
  // That, and no device has memory for it but for running tasks of it.
  absl::Status LeaveDevices(Block& block);
  // No device has memory for it any more, and what only they had is lost. No task uses it.
  absl::Status Discard(Block& block);

  // Is there memory for so much at the place, with nothing else there?
  bool CanHold(Place place, std::uint64_t bytes) {
    return place == kHost || Of(place).capacity == 0 || bytes <= Of(place).capacity;
  }

  // A call of the place's device has said that it is gone. What only it had is lost: DataLoss, of
  // who asks for it.
  bool IsLost(Place place) { return place != kHost && Of(place).is_lost.load(); }
  bool HasLost() const {
    return std::any_of(devices_.begin(), devices_.end(),
                       [](const auto& one) { return one->is_lost.load(); });
  }
  absl::Status Heard(Place place, absl::Status status) {
    if (IsLoss(status) && place != kHost) Of(place).is_lost.store(true);
    return status;
  }

  // Heard, of a kernel that may have used other devices' memory.
  absl::Status HeardOfKernel(const Task& task, absl::Status status);

  // No device has memory for any block any more. There are no tasks, and nothing is brought home.
  void FreeAll();

  CopyCounts counts() const;
  // By which a plan copies as this does. Of devices whose memories differ it has the least.
  PlanOptions plan_options() const;

 private:
  struct OfDevice {
    explicit OfDevice(Device& its_device, std::uint64_t bytes)
        : device(its_device), capacity(bytes), residents(bytes) {}
    Device& device;
    const std::uint64_t capacity;
    std::atomic<bool> is_lost{false};
    mutable lwt::Mutex mutex;
    lwt::ConditionVariable freed;                              // a block was unpinned
    Residents residents;                                       // under mutex
    std::map<std::uint64_t, std::vector<DeviceMemory>> spare;  // by size, under mutex
    std::vector<Block*> blocks;                                // by BlockId, under mutex
    int pinned =
        0;  // tasks that have blocks pinned here, once for each of other devices', under mutex
  };
  OfDevice& Of(Place place) { return *devices_[static_cast<std::size_t>(place - 1)]; }

  static void AddUses(const Task& task);
  static void RemoveUses(const Task& task);
  void ChooseWhere(Task& task);
  absl::Status ChangedInPart(const Task& task, std::size_t access);
  static void BeginWrites(const Task& task);
  Place PinElsewhere(Block& block, Place place);
  absl::Status MakeRoom(Task& task, OfDevice& here);
  static std::span<Block* const> BlocksHere(const Task& task, std::span<Block*> space);
  enum class Room {
    kMade,  // all of the task's blocks have memory and are pinned
    kLess,  // there is less than the device said: to be tried again
    kWait,  // what others have pinned is too much
  };
  absl::StatusOr<Room> TryRoom(const Task& task, std::span<Block* const> blocks, OfDevice& here);
  absl::Status Evict(Block& block, Place place, Turn turn);
  absl::StatusOr<DeviceMemory> TakeMemory(OfDevice& here, const Block& block, const Task& task);
  static void FreeSpare(OfDevice& here);
  static void TakeBack(Block& block, Place place, OfDevice& here);
  // `turn`: of the task for which it is.
  absl::StatusOr<Ticket> Bring(Block& block, Place place, Turn turn);
  absl::StatusOr<Ticket> BringFromHost(Block& block, Place place, Turn turn);
  absl::StatusOr<Place> SourceOf(Block& block, Place to);
  absl::Status WaitForCopy(Block& block, Place place);
  absl::Status HeardOfBoth(Place source, Place place, absl::Status status);
  absl::StatusOr<bool> BringAcross(Block& block, Place source, Place place, Turn turn);
  absl::Status BringHomeLocked(Block& block, Turn turn);
  void Unpin(const Task& task);
  void UnpinElsewhere(const Task& task);
  void Count(Place from, Place to, std::uint64_t bytes);
  TraceEvent::Moment Now() const {
    return recorder_ == nullptr ? TraceEvent::Moment{} : Recorder::Now();
  }

  const MoverOptions options_;
  Recorder* const recorder_;
  bool is_bounded_ = false;  // some device's memory is
  std::vector<std::unique_ptr<OfDevice>> devices_;
  mutable lwt::Mutex counts_mutex_;
  CopyCounts counts_;  // under counts_mutex_
};

}  // namespace taskrt
