// What the runtime keeps of a block of the user's memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/mutex.h"
#include "taskrt/device.h"
#include "taskrt/order/block_order.h"
#include "taskrt/order/ids.h"
#include "taskrt/order/reduction.h"
#include "taskrt/order/task.h"
#include "taskrt/place.h"
#include "taskrt/tile.h"
#include "taskrt/transfer/future_uses.h"
#include "taskrt/transfer/replicas.h"

namespace taskrt {

struct Block {
  std::string name;
  BlockId id = 0;
  // Both under the runtime's order lock; `host` changes under `mutex`, too, but where nobody looks
  // at it: while the block is new, and its only value is the user's.
  Tile host;
  std::uint64_t generation = 0;  // how many blocks have had this place before
  bool is_registered = true;
  bool has_been_on_device = false;  // some task was sent to one; likewise
  BlockOrder<TaskRef> order;        // under the runtime's order lock
  Replicas planned_replicas;  // where its newest value is read or written; under the same lock
  int owner = 0;              // OwnerComputes (schedulers/scheduler.h)
  std::unique_ptr<Reduction> reduction;  // null: none was set
  bool is_partial = false;               // of a reduction: nobody wants its value at home
  FutureUses future_uses;                // where some device's memory is bounded

  // Held while a device copies the block out or across: its memory there is not taken away
  // meanwhile.
  lwt::Mutex mutex;
  // A place counts as soon as a copy to it was asked for.
  Replicas replicas ABSL_GUARDED_BY(mutex);
  struct AtDevice {
    // Changes under the lock of the device's cache, and that of the block unless no task uses the
    // block or only a stale value is there: so either lock is enough to read it.
    DeviceMemory memory;
    Ticket arrived = kDone;  // likewise, by copies
  };
  std::vector<AtDevice> at;  // by place - 1
  AtDevice& At(Place place) { return at[static_cast<std::size_t>(place - 1)]; }
};

// A partial block's value is of no use after the task that combines it has read it.
inline bool IsLastUse(const TaskAccess& access) {
  return access.block->is_partial && !Writes(access.mode);
}

}  // namespace taskrt
