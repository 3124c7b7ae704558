#include "taskrt/tests/random_neighbor.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/tests/random_task.h"

namespace taskrt {

absl::Status RandomNeighbor::Run() {
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks_[i].name = absl::StrCat("neighbor", i);
    Register(blocks_[i]);
  }
  absl::Status status;
  for (std::size_t i = 0; i < kActions && status.ok(); ++i) {
    Block& block = blocks_[Draw(random_, kBlocks)];
    const std::uint64_t action = Draw(random_, 10);
    if (action < 6) {
      SubmitOne();
    } else if (action < 7) {
      status = WaitOn(block);
    } else if (action < 9) {
      status = Move(block);
    } else {
      status = End(block);
      if (status.ok()) Register(block);
    }
  }
  for (Block& block : blocks_) {
    if (status.ok()) status = End(block);
  }
  return status;
}

void RandomNeighbor::Register(Block& block) {
  block.memory.Reshape(random_);
  block.handle = runtime_.Register(block.name, block.memory.tile());
  if (OneIn(random_, 2)) runtime_.SetReduction(block.handle, kernels_.zero, kernels_.combine);
}

// On one block, or on two.
void RandomNeighbor::SubmitOne() {
  constexpr Mode kModes[] = {Mode::kIn, Mode::kOut, Mode::kInOut, Mode::kCommutative,
                             Mode::kReduction};
  Recipe recipe;
  recipe.salt = static_cast<Word>(random_());
  recipe.pauses = OneIn(random_, 3);
  recipe.accesses = static_cast<std::uint8_t>(1 + Draw(random_, 2));
  const std::size_t first = Draw(random_, kBlocks);
  std::vector<Access> accesses;
  std::vector<Tile> twins;
  for (std::size_t i = 0; i < recipe.accesses; ++i) {
    Block& block = blocks_[(first + i) % kBlocks];
    recipe.modes[i] = kModes[Draw(random_, std::size(kModes))];
    accesses.push_back({block.handle, recipe.modes[i]});
    twins.push_back(block.memory.twin());
  }
  runtime_.Submit(kernels_.task, accesses, ScalarsOf(recipe));
  Perform(recipe, twins, [] {});
}

absl::Status RandomNeighbor::WaitOn(Block& block) {
  if (absl::Status status = runtime_.WaitOn(block.handle, Mode::kInOut); !status.ok()) {
    return status;
  }
  const std::string difference = block.memory.Difference();
  if (!difference.empty()) return absl::InternalError(absl::StrCat(block.name, ": ", difference));
  block.memory.Fill(random_);
  return absl::OkStatus();
}

absl::Status RandomNeighbor::Move(Block& block) {
  if (absl::Status status = WaitOn(block); !status.ok()) return status;
  RandomBlock moved;
  moved.Reshape(random_);
  const absl::Status status = runtime_.Resize(block.handle, moved.tile());
  if (status.ok()) std::swap(block.memory, moved);
  return status;
}

absl::Status RandomNeighbor::End(Block& block) {
  if (absl::Status status = WaitOn(block); !status.ok()) return status;
  return runtime_.Unregister(block.handle);
}

}  // namespace taskrt
