// Copies blocks between the user's memory and those of devices, as each block's replicas say
// (task/replicas.h), and counts the copies.
//
// A block's lock is held while it is copied, which keeps each replica of it where it is.
//
// Threads: lightweight ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/device.h"
#include "taskrt/plan/plan.h"
#include "taskrt/task/block.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/transfer/lost_devices.h"
#include "taskrt/transfer/mover_options.h"
#include "topo/mutex.h"

namespace taskrt {

// A resource. What it is made of outlives it.
class Copier {
 public:
  // `recorder`: null: nothing is traced.
  Copier(std::span<const std::unique_ptr<Device>> devices, const MoverOptions& options,
         LostDevices& lost, Recorder* recorder)
      : devices_(devices), options_(options), lost_(lost), recorder_(recorder) {}

  // The block's newest value is at the place when the ticket has come; the place has memory for it.
  // `for_task`: of the task for which it is. DataLoss: only devices that are lost had it.
  absl::StatusOr<Ticket> CopyTo(Place place, BlockRecord& block, SubmitIndex for_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(block.mutex);
  // The block's newest value is in the user's memory, unless a task is writing it. DataLoss, and
  // never Unavailable: the caller needs no device, and need not ask again.
  absl::Status WriteBack(BlockRecord& block, SubmitIndex for_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(block.mutex);
  // The place from which `to` is to have the block. DataLoss, as CopyTo.
  absl::StatusOr<Place> SourceOf(BlockRecord& block, Place to)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(block.mutex);

  // No copy into the place's memory of the block goes on: one for which no kernel came may still
  // read the user's memory, unless the device is lost. Takes the block's lock.
  absl::Status AwaitCopy(BlockRecord& block, Place place) ABSL_LOCKS_EXCLUDED(block.mutex);
  // `place` was asked to use memory of `source`: notes which of them is lost. Returns `status`, or
  // what is known of the other then.
  absl::Status NoteOfBoth(Place source, Place place, absl::Status status);

  CopyCounts counts() const {
    const topo::Lock lock(mutex_);
    return counts_;
  }

 private:
  Device& At(Place place) { return *devices_[static_cast<std::size_t>(place - 1)]; }
  absl::StatusOr<Ticket> CopyFromHost(BlockRecord& block, Place place, SubmitIndex for_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(block.mutex);
  absl::StatusOr<bool> TryCopyAcross(BlockRecord& block, Place source, Place place,
                                     SubmitIndex for_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(block.mutex);
  void Count(Place from, Place to, std::uint64_t bytes);

  const std::span<const std::unique_ptr<Device>> devices_;
  const MoverOptions options_;
  LostDevices& lost_;
  Recorder* const recorder_;

  mutable topo::Mutex mutex_;
  CopyCounts counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
