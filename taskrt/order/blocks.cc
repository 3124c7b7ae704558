// The user's blocks: their beginning, their end, and what they may not share.
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/runtime.h"

namespace taskrt {

namespace {

void CheckTile(const Tile& tile, const std::string& name) {
  std::uint64_t extent = 0;
  const bool has_an_extent = !__builtin_mul_overflow(tile.rows, tile.stride, &extent) &&
                             !__builtin_mul_overflow(tile.rows, tile.row_bytes, &extent);
  const bool rows_are_apart = tile.rows <= 1 || tile.stride >= tile.row_bytes;
  if (has_an_extent && rows_are_apart) return;
  lwt::DieOfBrokenContract(
      absl::StrCat("the rows of a block lie apart in memory, but block ", name, " has ", tile.rows,
                   " rows of ", tile.row_bytes, " bytes, ", tile.stride, " from one to the next"),
      __FILE__, __LINE__);
}

}  // namespace

Handle Runtime::Register(std::string name, const Tile& tile, int owner) {
  CheckTile(tile, name);
  const std::lock_guard lock(order_mutex_);
  CheckIsFree(tile, name);
  return Handle(NewBlock(std::move(name), tile, owner));
}

// Under order_mutex_.
Block& Runtime::NewBlock(std::string name, const Tile& tile, int owner) {
  Block* block = nullptr;
  if (unregistered_.empty()) {
    block = blocks_.emplace_back(std::make_unique<Block>()).get();
    block->id = static_cast<BlockId>(blocks_.size() - 1);
    block->at.resize(devices_.size());
  } else {
    block = unregistered_.back();
    unregistered_.pop_back();
    block->is_registered = true;
  }
  block->name = std::move(name);
  block->host = tile;
  block->owner = owner;
  tiles_.Add(tile, block);
  return *block;
}

// Under order_mutex_.
void Runtime::CheckIsFree(const Tile& tile, const std::string& name) const {
  const std::optional<Block*> other = tiles_.OneThatOverlaps(tile);
  if (!other) return;
  lwt::DieOfBrokenContract(
      absl::StrCat("blocks share no memory, but ", name, " and ", (*other)->name, " do"), __FILE__,
      __LINE__);
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

// Under order_mutex_.
bool Runtime::IsIdle(const Block& block) {
  if (block.reduction != nullptr && block.reduction->is_open) return false;
  return block.order.HaveAllEnded([](const TaskRef& task) { return task->has_ended(); });
}

absl::Status Runtime::Unregister(Handle handle) {
  if (!IsInside()) return pool_->Run([&] { return Unregister(handle); });
  Block& block = BlockOf(handle);
  {
    const std::lock_guard lock(order_mutex_);
    if (!IsIdle(block)) {
      lwt::DieOfBrokenContract(
          absl::StrCat("no task uses block ", block.name, " when it is unregistered"), __FILE__,
          __LINE__);
    }
    See(block, kHost);
  }
  absl::Status status = DropPartials(block);
  status.Update(mover_.BringHome(block));
  status.Update(mover_.Discard(block));
  const std::lock_guard lock(order_mutex_);
  EndBlock(block);
  return status;
}

// Under order_mutex_. Its place is used again.
void Runtime::EndBlock(Block& block) {
  tiles_.Remove(block.host);
  block.order = {};
  block.seen = Replicas();
  block.reduction = nullptr;
  block.has_been_on_device = block.is_registered = false;
  ++block.generation;
  if (only_plans_) return;  // The plan still names it.
  block.is_partial = false;
  unregistered_.push_back(&block);
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
    const std::lock_guard lock(order_mutex_);
    leaves = block.has_been_on_device || block.reduction != nullptr;
    if (leaves && !IsIdle(block)) return uses();
    See(block, kHost);
  }
  if (leaves) {
    absl::Status home = DropPartials(block);
    home.Update(mover_.LeaveDevices(block));
    if (!home.ok()) return home;
  }
  // First the one for which this thread may have to wait.
  const std::lock_guard its_lock(block.mutex);
  const std::lock_guard lock(order_mutex_);
  const bool is_used = block.has_been_on_device && !(leaves && IsIdle(block));
  if (is_used || HasPartials(block) || !block.replicas.IsOnlyAt(kHost)) return uses();
  tiles_.Remove(block.host);
  CheckIsFree(tile, block.name);
  tiles_.Add(tile, &block);
  block.host = tile;
  ++tiles_changes_;
  block.seen = Replicas();
  block.has_been_on_device = false;
  return absl::OkStatus();
}

}  // namespace taskrt
