// The blocks that lie in one device's memory: which are there, which are pinned by tasks, and which
// make room for others (task/residents.h). Memory that a block has left is kept, by its size,
// for the next.
//
// Locks: a device's, then a block's.
//
// Threads: lightweight ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "taskrt/device.h"
#include "taskrt/place.h"
#include "taskrt/task/block.h"
#include "taskrt/task/residents.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/transfer/copier.h"
#include "taskrt/transfer/lost_devices.h"
#include "taskrt/transfer/mover_options.h"

namespace taskrt {

// A resource. What it is made of outlives it.
class DeviceCache {
 public:
  struct Parts {
    Device& device;
    Place place = kHost;  // the device's
    Copier& copier;
    LostDevices& lost;
    Recorder* recorder = nullptr;  // null: nothing is traced
    // Each task copies what it reads, also what is here already: a block is one task's at a time.
    bool is_exclusive = false;
  };
  // `capacity`: in bytes; zero: as much as there is.
  DeviceCache(const Parts& parts, std::uint64_t capacity, Eviction eviction)
      : parts_(parts), capacity_(capacity), eviction_(eviction), residents_(capacity) {}

  Device& device() { return parts_.device; }
  std::uint64_t capacity() const { return capacity_; }

  // May Pin wait until other tasks unpin blocks? Not for a task that has blocks pinned elsewhere:
  // two such tasks could wait for each other.
  enum class IfFull { kWait, kReturn };
  // All of `blocks` have memory here, which they keep until Unpin. False: other tasks have pinned
  // too much, and it may not wait. `for_task`: of the task. ResourceExhausted: with all else gone
  // there is too little. Unavailable: the device is lost.
  absl::StatusOr<bool> Pin(std::span<BlockRecord* const> blocks, SubmitIndex for_task,
                           IfFull if_full);
  void Unpin(std::span<BlockRecord* const> blocks);

  // Pins the block for a task on another device, which uses this one's memory of it.
  enum class Pinned {
    kYes,
    kNoValue,  // its newest value is not here any more
    kBounded,  // the device's memory is bounded: its room is for its own tasks
  };
  Pinned PinForOther(BlockRecord& block);
  void UnpinForOther(BlockRecord& block) {
    BlockRecord* const blocks[] = {&block};
    Unpin(blocks);
  }

  // Writes the block's newest value back and frees its memory here, unless a task has it pinned.
  absl::Status EvictUnlessPinned(BlockRecord& block);
  // Frees the memory of a block that no task uses, whatever its value.
  absl::Status Discard(BlockRecord& block);
  // Frees the memory of a value that is not the newest, which no copy and no task uses.
  void DropStale(BlockRecord& block);
  // Frees the memory of all blocks, and gives it back to the device.
  void FreeAll();

 private:
  enum class Room {
    kMade,  // all blocks have memory and are pinned
    kLess,  // there is less than the device said: to be tried again
    kFull,  // other tasks have pinned too much, or one of the blocks that are exclusive
  };
  absl::StatusOr<Room> TryPin(std::span<BlockRecord* const> blocks, SubmitIndex for_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Evict(BlockRecord& block, SubmitIndex for_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<BlockId> Victim() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<DeviceMemory> TakeMemory(const BlockRecord& block, SubmitIndex for_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeBack(BlockRecord& block) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FreeSpare() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Parts parts_;
  const std::uint64_t capacity_;
  const Eviction eviction_;

  lwt::Mutex mutex_;
  lwt::ConditionVariable freed_;  // a block was unpinned, or has gone
  Residents residents_ ABSL_GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::vector<DeviceMemory>> spare_ ABSL_GUARDED_BY(mutex_);  // by size
  std::vector<BlockRecord*> blocks_ ABSL_GUARDED_BY(mutex_);                          // by BlockId
  // How often Pin and PinForOther have succeeded without an Unpin.
  int pinned_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace taskrt
