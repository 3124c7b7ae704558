// All blocks of a runtime: the places of blocks that have ended are used again, and no two blocks
// share memory (task/overlap.h).
//
// Threads: one at a time; TaskOrder guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lwt/contract.h"
#include "taskrt/handle.h"
#include "taskrt/task/block.h"
#include "taskrt/task/overlap.h"
#include "taskrt/task/task.h"
#include "taskrt/tile.h"

namespace taskrt {

// What becomes of the place of a block that has ended.
enum class EndedBlocks {
  kAreUsedAgain,
  kAreKept,  // A plan names them.
};

// A resource: its blocks stay where they are.
class BlockTable {
 public:
  BlockTable(std::size_t devices, EndedBlocks ended) : devices_(devices), ended_(ended) {}

  static Handle HandleOf(BlockRecord& block) { return Handle(block, block.generation); }
  // A broken contract: the handle is no registered block's, or its block has ended.
  static BlockRecord& Of(Handle handle) {
    lwt::CheckContract(handle.block_ != nullptr,
                       "a handle is of a registered block, and this one is of none, as that of a "
                       "Block that was moved from");
    if (handle.generation_ != handle.block_->generation) [[unlikely]]
      DieOfEnded(handle);
    return *handle.block_;
  }

  // As Of; and a broken contract, which names the block: it is of another runtime.
  BlockRecord& Own(Handle handle) const {
    BlockRecord& block = Of(handle);
    CheckIsOwn(block);
    return block;
  }
  void CheckIsOwn(const BlockRecord& block) const {
    if (block.table != this) [[unlikely]]
      DieOfForeign(block);
  }

  // Gives `accesses` to a task that has none yet. A broken contract, which names the block: a task
  // accesses a block twice, or a block that has ended or is of another runtime.
  void AddAccesses(Task& task, std::span<const Access> accesses) const;

  // Precondition: CheckIsFree.
  BlockRecord& Add(std::string name, const Tile& tile, int owner);
  // A part of a block, in whose memory it lies.
  BlockRecord& AddPart(std::string name, const Tile& tile, const PartOf& part_of, int owner);
  // No task uses the block. Its generation ends.
  void End(BlockRecord& block);
  // The block's memory is `tile` from now on. The caller holds the block's mutex, too.
  void Move(BlockRecord& block, const Tile& tile);
  // A broken contract, which names both: `tile`, of block `name`, shares memory with another block.
  void CheckIsFree(const Tile& tile, const std::string& name) const;

  // By BlockId, with those that have ended.
  std::span<const std::unique_ptr<BlockRecord>> blocks() const { return blocks_; }
  // Differs from before if a block has been moved; never 0.
  std::uint64_t moves() const { return moves_; }

 private:
  BlockRecord& New(std::string name, const Tile& tile, int owner);
  [[noreturn]] static void DieOfEnded(Handle handle);
  [[noreturn]] static void DieOfForeign(const BlockRecord& block);

  const std::size_t devices_;
  const EndedBlocks ended_;
  std::vector<std::unique_ptr<BlockRecord>> blocks_;
  std::vector<BlockRecord*> free_;
  Tiles<BlockRecord*> tiles_;
  std::uint64_t moves_ = 1;
};

// A broken contract, which names the block: the tile's rows lie over each other, or beyond the end
// of memory.
void CheckTile(const Tile& tile, const std::string& name);

}  // namespace taskrt
