// The record of a block of the user's memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/mutex.h"
#include "taskrt/device.h"
#include "taskrt/ids.h"
#include "taskrt/place.h"
#include "taskrt/task/block_order.h"
#include "taskrt/task/divisions.h"
#include "taskrt/task/future_uses.h"
#include "taskrt/task/reduction.h"
#include "taskrt/task/replicas.h"
#include "taskrt/task/task.h"
#include "taskrt/tile.h"

namespace taskrt {

class BlockTable;

// The fields before `future_uses` are TaskOrder's: its lock guards them.
struct BlockRecord {
  std::string name;
  BlockId id = 0;
  const BlockTable* table = nullptr;  // that it is in: its runtime's
  // Changes under `mutex`, too, unless no task uses the block: while it is new, and its only value
  // is the user's.
  Tile host;
  std::uint64_t generation = 0;  // how many blocks have had this memory before
  bool is_registered = true;
  bool has_been_on_device = false;  // the place of some task of it was a device
  BlockOrder<TaskRef> order;
  Replicas planned_replicas;             // when all tasks that have places have run
  int owner = 0;                         // OwnerComputes (schedulers/scheduler.h)
  std::unique_ptr<Reduction> reduction;  // null: none was set
  std::unique_ptr<Divisions> divisions;  // null: it has no parts
  PartOf part_of;                        // of a block that has
  bool is_partial = false;               // of a reduction: its value is not written back
  BlockRecord* partial_of = nullptr;     // of the block of that reduction

  FutureUses future_uses;  // where some device's memory is bounded

  // Held while a device copies the block out or across: its memory there is not taken away
  // meanwhile.
  lwt::Mutex mutex;
  // A place counts as soon as a copy to it was asked for.
  Replicas replicas ABSL_GUARDED_BY(mutex);
  struct AtDevice {
    // Changes under the lock of the device's DeviceCache and, unless only a stale value is there or
    // no task uses the block, the block's: to read it, either is enough.
    DeviceMemory memory;
    // Of the last copy to that memory. Under the block's lock.
    Ticket arrived = kDone;
  };
  std::vector<AtDevice> at;  // by place - 1
  AtDevice& At(Place place) { return at[static_cast<std::size_t>(place - 1)]; }
};

// A partial block's value is of no use after the task that combines it has read it.
inline bool IsLastUse(const TaskAccess& access) {
  return access.block->is_partial && !Writes(access.mode);
}

}  // namespace taskrt
