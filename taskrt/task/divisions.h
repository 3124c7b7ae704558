// The ways in which a block is divided into parts. Each part is a block of its own, in the whole's
// memory. The newest value is the whole's, or that of the parts of one way: the tasks that were
// submitted last say so, and a task in between takes it from the one to the others by way of the
// host (submitter.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace taskrt {

struct BlockRecord;

// A value. TaskOrder's lock guards it.
struct Divisions {
  std::vector<std::vector<BlockRecord*>> ways;  // the parts of each
  std::optional<std::size_t> current;           // whose parts have the value; none: the whole has
};

// A value: of which block a block is a part.
struct PartOf {
  BlockRecord* whole = nullptr;  // null: of none
  std::size_t way = 0;
};

// Calls `visit(block)` for the block and for all its parts, theirs too, in every way.
template <typename Block, typename Visit>
void ForEachPart(Block& block, Visit visit) {
  visit(block);
  if (block.divisions == nullptr) return;
  for (const auto& parts : block.divisions->ways) {
    for (Block* const part : parts) ForEachPart(*part, visit);
  }
}

// Has the block a value that a task may use now?
template <typename Block>
bool IsCurrent(const Block& block) {
  if (block.divisions != nullptr && block.divisions->current) return false;
  for (const Block* part = &block; part->part_of.whole != nullptr; part = part->part_of.whole) {
    if (part->part_of.whole->divisions->current != part->part_of.way) return false;
  }
  return true;
}

// Calls `visit(other)` for the blocks that other tasks use between now and a task that uses
// `block`: the whole's or parts' that have the value now.
template <typename Block, typename Visit>
void ForEachOnTheWay(const Block& block, Visit visit) {
  const auto add_current = [&](const Block& one, auto& self) -> void {
    visit(one);
    if (one.divisions == nullptr || !one.divisions->current) return;
    for (const Block* const part : one.divisions->ways[*one.divisions->current]) self(*part, self);
  };
  const Block* top = &block;
  while (top->part_of.whole != nullptr &&
         top->part_of.whole->divisions->current != top->part_of.way) {
    top = top->part_of.whole;
  }
  add_current(*top, add_current);
}

}  // namespace taskrt
