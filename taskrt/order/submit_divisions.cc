// Blocks that are divided into parts (submitter.h).
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/order/submitter.h"
#include "taskrt/task/describe.h"
#include "taskrt/task/divisions.h"

namespace taskrt {

std::vector<BlockRecord*> Submitter::Divide(BlockRecord& whole, std::uint64_t rows,
                                            std::uint64_t row_bytes) {
  has_divisions_ = true;
  if (whole.divisions == nullptr) whole.divisions = std::make_unique<Divisions>();
  const std::size_t way = whole.divisions->ways.size();
  std::vector<BlockRecord*>& parts = whole.divisions->ways.emplace_back();
  const Tile& tile = whole.host;
  rows = std::min(rows, std::max<std::uint64_t>(tile.rows, 1));
  for (std::uint64_t row = 0; row < tile.rows; row += rows) {
    for (std::uint64_t byte = 0; byte < tile.row_bytes; byte += row_bytes) {
      std::byte* const data = tile.data == nullptr ? nullptr : tile.data + row * tile.stride + byte;
      const Tile part = {data, std::min(rows, tile.rows - row),
                         std::min(row_bytes, tile.row_bytes - byte), tile.stride};
      parts.push_back(&books_.blocks.AddPart(absl::StrCat(whole.name, "[", row, ",", byte, "]"),
                                             part, {&whole, way}, whole.owner));
    }
  }
  return parts;
}

// The tasks that take the value to `block` from the whole or the parts that have it.
void Submitter::MakeCurrent(BlockRecord& block, TaskList& ready) {
  if (BlockRecord* const whole = block.part_of.whole; whole != nullptr) {
    Divisions& divisions = *whole->divisions;
    if (divisions.current != block.part_of.way) {
      MakeCurrent(*whole, ready);
      Pass(*whole, Mode::kInOut, divisions.ways[block.part_of.way], Mode::kOut, ready);
      divisions.current = block.part_of.way;
    }
  }
  if (block.divisions != nullptr && block.divisions->current) Join(block, ready);
}

void Submitter::Join(BlockRecord& whole, TaskList& ready) {
  const std::vector<BlockRecord*>& parts =
      whole.divisions->ways[*std::exchange(whole.divisions->current, std::nullopt)];
  for (BlockRecord* const part : parts) {
    if (part->divisions != nullptr && part->divisions->current) Join(*part, ready);
  }
  Pass(whole, Mode::kOut, parts, Mode::kInOut, ready);
}

// A task of the host, where all of them share their memory: it has nothing to do but to have the
// newest value there, and nowhere else.
void Submitter::Pass(BlockRecord& whole, Mode of_whole, std::span<BlockRecord* const> parts,
                     Mode of_parts, TaskList& ready) {
  Combine(whole, 0, ready);
  for (BlockRecord* const part : parts) Combine(*part, 0, ready);
  Task& pass = NewTask(TaskKind::kPass, of_whole == Mode::kOut ? join_ : divide_);
  pass.call().Add({&whole, of_whole}, whole.host);
  for (BlockRecord* const part : parts) pass.call().Add({part, of_parts}, part->host);
  Enter(pass, kHost, ready);
}

// In the order of the accesses: a second access that takes the value from the first is found then.
void Submitter::MakeAllCurrent(std::span<const Access> accesses, TaskList& ready) {
  for (const Access& access : accesses) MakeCurrent(BlockTable::Of(access.handle), ready);
  for (const Access& access : accesses) {
    const BlockRecord& block = BlockTable::Of(access.handle);
    if (IsCurrent(block)) continue;
    lwt::DieOfBrokenContract(
        absl::StrCat("a task accesses a block, or parts of one division of it, but ", block.name,
                     " and another of its accesses are not such"),
        __FILE__, __LINE__);
  }
}

}  // namespace taskrt
