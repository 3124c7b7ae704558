// Reductions that run at the same time (submitter.h).
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/order/submitter.h"
#include "taskrt/task/reduction.h"

namespace taskrt {

void Submitter::SetReduction(BlockRecord& block, const Kernel& initialize, const Kernel& combine,
                             int workers) {
  lwt::CheckContract(block.reduction == nullptr, "a block's reduction is set once");
  const Partials partials(workers, static_cast<int>(places_.device_count()));
  block.reduction = std::make_unique<Reduction>(
      Reduction{initialize, combine, partials, std::vector<Reduction::Partial>(partials.size())});
}

// The task, of that place, is to add to partial blocks where it can.
void Submitter::UsePartials(Task& task, Place place, TaskList& ready) {
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess access = task.accesses()[i];
    if (access.mode != Mode::kReduction || access.block->reduction == nullptr) continue;
    Reduction& reduction = *access.block->reduction;
    const Partials::Use use = reduction.partials.Take(place);
    BlockRecord& partial = PartialOf(*access.block, use.index);
    task.call().Set(i, {&partial, Mode::kReduction}, partial.host);
    if (!std::exchange(reduction.is_open, true)) open_reductions_.push_back(access.block);
    if (!use.is_first) continue;
    Task& initialize = NewTask(TaskKind::kComputes, reduction.initialize);
    initialize.priority = task.priority;
    initialize.call().Add({&partial, Mode::kOut}, partial.host);
    // There, if it can: nothing has to be copied.
    const PlaceSet places = places_.ThatCanRun(reduction.initialize);
    Enter(initialize, places.Has(place) ? place : PlaceFor(initialize), ready);
  }
}

BlockRecord& Submitter::PartialOf(BlockRecord& block, std::size_t index) {
  Reduction::Partial& partial = block.reduction->blocks[index];
  if (partial.block != nullptr) return *partial.block;
  Tile tile = Packed(block.host, nullptr);
  if (block.host.data != nullptr) {
    constexpr std::size_t kLine = 64;
    std::size_t space = tile.bytes() + kLine - 1;
    partial.memory = std::make_unique_for_overwrite<std::byte[]>(space);
    void* data = partial.memory.get();
    tile.data = static_cast<std::byte*>(std::align(kLine, tile.bytes(), data, space));
  }
  partial.block = &books_.blocks.Add(absl::StrCat(block.name, "/", index), tile, block.owner);
  partial.block->is_partial = true;
  partial.block->partial_of = &block;
  return *partial.block;
}

void Submitter::Combine(BlockRecord& block, int priority, TaskList& ready) {
  if (block.reduction == nullptr || !std::exchange(block.reduction->is_open, false)) return;
  std::erase(open_reductions_, &block);
  for (const std::size_t index : block.reduction->partials.Close()) {
    BlockRecord& partial = *block.reduction->blocks[index].block;
    Task& combine = NewTask(TaskKind::kComputes, block.reduction->combine);
    combine.priority = priority;
    combine.call().Add({&block, Mode::kReduction}, block.host);
    combine.call().Add({&partial, Mode::kIn}, partial.host);
    Enter(combine, PlaceFor(combine), ready);
  }
}

void Submitter::CombineAll(TaskList& ready) {
  while (!open_reductions_.empty()) Combine(*open_reductions_.back(), 0, ready);
}

}  // namespace taskrt
