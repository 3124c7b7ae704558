#include "taskrt/order/block_table.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"

namespace taskrt {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void DieOfTwice(const Task& task, const BlockRecord& block) {
  lwt::DieOfBrokenContract(absl::StrCat("a task accesses a block once, and task ",
                                        task.kernel().name(), " has block ", block.name, " twice"),
                           __FILE__, __LINE__);
}

}  // namespace

void BlockTable::DieOfEnded(Handle handle) {
  const BlockRecord& block = *handle.block_;
  const bool is_last = !block.is_registered && handle.generation_ + 1 == block.generation;
  lwt::DieOfBrokenContract(is_last
                               ? absl::StrCat("block ", block.name, " is not used after Unregister")
                               : absl::StrCat("a block is not used after Unregister; ", block.name,
                                              " has been registered since in its place"),
                           __FILE__, __LINE__);
}

void BlockTable::DieOfForeign(const BlockRecord& block) {
  lwt::DieOfBrokenContract(
      absl::StrCat("a block is used by the runtime that it was registered with, and block ",
                   block.name, " by another"),
      __FILE__, __LINE__);
}

void BlockTable::AddAccesses(Task& task, std::span<const Access> accesses) const {
  const TaskCall::Room room = task.call().AddFirst(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const auto& [handle, mode] = accesses[i];
    BlockRecord& block = Of(handle);
    CheckIsOwn(block);
    for (std::size_t other = 0; other < i; ++other) {
      if (room.accesses[other].block == &block) [[unlikely]]
        DieOfTwice(task, block);
    }
    room.accesses[i] = {&block, mode};
    room.tiles[i] = block.host;
    if (Commutes(mode)) [[unlikely]]
      task.call().SetCommutes();
  }
}

BlockRecord& BlockTable::New(std::string name, const Tile& tile, int owner) {
  BlockRecord* block = nullptr;
  if (free_.empty()) {
    block = blocks_.emplace_back(std::make_unique<BlockRecord>()).get();
    block->id = static_cast<BlockId>(blocks_.size() - 1);
    block->table = this;
    block->at.resize(devices_);
  } else {
    block = free_.back();
    free_.pop_back();
    block->is_registered = true;
  }
  block->name = std::move(name);
  block->host = tile;
  block->owner = owner;
  return *block;
}

BlockRecord& BlockTable::Add(std::string name, const Tile& tile, int owner) {
  BlockRecord& block = New(std::move(name), tile, owner);
  tiles_.Add(tile, &block);
  return block;
}

BlockRecord& BlockTable::AddPart(std::string name, const Tile& tile, const PartOf& part_of,
                                 int owner) {
  BlockRecord& block = New(std::move(name), tile, owner);
  block.part_of = part_of;
  return block;
}

void BlockTable::End(BlockRecord& block) {
  if (block.part_of.whole == nullptr) tiles_.Remove(block.host);
  block.order = {};
  block.divisions = nullptr;
  block.partial_of = nullptr;
  block.part_of = {};
  block.planned_replicas = Replicas();
  block.reduction = nullptr;
  block.has_been_on_device = block.is_registered = false;
  ++block.generation;
  if (ended_ == EndedBlocks::kAreKept) return;
  block.is_partial = false;
  free_.push_back(&block);
}

void BlockTable::Move(BlockRecord& block, const Tile& tile) {
  tiles_.Remove(block.host);
  CheckIsFree(tile, block.name);
  tiles_.Add(tile, &block);
  block.host = tile;
  ++moves_;
  block.planned_replicas = Replicas();
  block.has_been_on_device = false;
}

void BlockTable::CheckIsFree(const Tile& tile, const std::string& name) const {
  const std::optional<BlockRecord*> other = tiles_.OneThatOverlaps(tile);
  if (!other) return;
  lwt::DieOfBrokenContract(
      absl::StrCat("blocks share no memory, but ", name, " and ", (*other)->name, " do"), __FILE__,
      __LINE__);
}

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

}  // namespace taskrt
