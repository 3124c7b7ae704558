// What the runtime keeps of a block of the user's memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lwt/mutex.h"
#include "taskrt/device.h"
#include "taskrt/order/block_order.h"
#include "taskrt/order/reduction.h"
#include "taskrt/order/task.h"
#include "taskrt/place.h"
#include "taskrt/tile.h"
#include "taskrt/transfer/replicas.h"
#include "taskrt/transfer/residents.h"
#include "taskrt/transfer/uses.h"

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
  Replicas seen;  // where its newest value is read or written; under the same lock
  int owner = 0;  // OwnerComputes (schedulers/scheduler.h)
  std::unique_ptr<Reduction> reduction;  // null: none was set
  bool is_partial = false;               // of a reduction: nobody wants its value at home
  Uses uses;                             // where some device's memory is bounded

  // Held while a device copies it out or across: it is not taken from there meanwhile.
  lwt::Mutex mutex;
  Replicas
      replicas;  // under mutex, as what follows; a place counts as soon as a copy was asked for
  struct AtDevice {
    DeviceMemory memory;  // under its device's mutex (mover.h)
    Ticket arrived = kDone;
  };
  std::vector<AtDevice> at;  // by place - 1
  AtDevice& At(Place place) { return at[static_cast<std::size_t>(place - 1)]; }
};

// What only combining reads is then of no use to anybody, wherever it is.
inline bool IsLastUse(const TaskAccess& access) {
  return access.block->is_partial && !Writes(access.mode);
}

}  // namespace taskrt
