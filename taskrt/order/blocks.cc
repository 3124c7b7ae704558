// The user's blocks: their beginning, their end, and what they may not share.
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/runtime.h"
#include "topo/mutex.h"

namespace taskrt {

Handle Runtime::Register(std::string name, const Tile& tile, int owner) {
  CheckTile(tile, name);
  const topo::Lock lock(order_mutex_);
  blocks_.CheckIsFree(tile, name);
  return Handle(blocks_.Add(std::move(name), tile, owner));
}

void Runtime::DieOfEndedBlock(Handle handle) {
  const Block& block = *handle.block_;
  const bool is_last = !block.is_registered && handle.generation_ + 1 == block.generation;
  lwt::DieOfBrokenContract(is_last
                               ? absl::StrCat("block ", block.name, " is not used after Unregister")
                               : absl::StrCat("a block is not used after Unregister; ", block.name,
                                              " has been registered since in its place"),
                           __FILE__, __LINE__);
}

bool Runtime::IsIdle(const Block& block) const {
  if (block.reduction != nullptr && block.reduction->is_open) return false;
  return block.order.HaveAllEnded([](const TaskRef& task) { return task->has_ended(); });
}

absl::Status Runtime::Unregister(Handle handle) {
  if (!IsInside()) return pool_->Run([&] { return Unregister(handle); });
  Block& block = BlockOf(handle);
  {
    const topo::Lock lock(order_mutex_);
    if (!IsIdle(block)) {
      lwt::DieOfBrokenContract(
          absl::StrCat("no task uses block ", block.name, " when it is unregistered"), __FILE__,
          __LINE__);
    }
    planned_replicas_.Read(block, kHost);
  }
  absl::Status status = DropPartials(block);
  status.Update(mover_.BringHome(block));
  status.Update(mover_.Discard(block));
  const topo::Lock lock(order_mutex_);
  blocks_.End(block);
  return status;
}

absl::Status Runtime::Resize(Handle handle, const Tile& tile) {
  if (!IsInside()) return pool_->Run([&] { return Resize(handle, tile); });
  Block& block = BlockOf(handle);
  CheckTile(tile, block.name);
  // Another thread may submit tasks meanwhile: looked at again when all is done.
  const auto uses = [&] {
    return absl::FailedPreconditionError(absl::StrCat("tasks use block ", block.name));
  };
  bool leaves = false;
  {
    const topo::Lock lock(order_mutex_);
    leaves = block.has_been_on_device || block.reduction != nullptr;
    if (leaves && !IsIdle(block)) return uses();
    planned_replicas_.Read(block, kHost);
  }
  if (leaves) {
    absl::Status home = DropPartials(block);
    home.Update(mover_.LeaveDevices(block));
    if (!home.ok()) return home;
  }
  // First the one for which this thread may have to wait.
  const std::lock_guard its_lock(block.mutex);
  const topo::Lock lock(order_mutex_);
  const bool is_used = block.has_been_on_device && !(leaves && IsIdle(block));
  if (is_used || HasPartials(block) || !block.replicas.IsOnlyAt(kHost)) return uses();
  blocks_.Move(block, tile);
  return absl::OkStatus();
}

}  // namespace taskrt
