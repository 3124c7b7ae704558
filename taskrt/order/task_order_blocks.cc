// The user's blocks: their beginning, their end, and new memory for them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/order/task_order.h"

namespace taskrt {
namespace {

bool IsIdle(const BlockRecord& block) {
  if (block.reduction != nullptr && block.reduction->is_open) return false;
  return block.order.HaveAllEnded([](const TaskRef& task) { return task->has_ended(); });
}

absl::Status IsUsed(const BlockRecord& block) {
  return absl::FailedPreconditionError(absl::StrCat("tasks use block ", block.name));
}

}  // namespace

Handle TaskOrder::Register(std::string name, const Tile& tile, int owner) {
  CheckTile(tile, name);
  const topo::Lock lock(mutex_);
  blocks_.CheckIsFree(tile, name);
  return BlockTable::HandleOf(blocks_.Add(std::move(name), tile, owner));
}

void TaskOrder::SetReduction(Handle handle, const Kernel& initialize, const Kernel& combine,
                             int workers) {
  const topo::Lock lock(mutex_);
  submitter_.SetReduction(blocks_.Own(handle), initialize, combine, workers);
}

std::vector<Handle> TaskOrder::Divide(Handle handle, std::uint64_t rows, std::uint64_t row_bytes) {
  lwt::CheckContract(rows > 0 && row_bytes > 0, "a block is divided into parts of some bytes");
  const topo::Lock lock(mutex_);
  std::vector<Handle> parts;
  for (BlockRecord* const part : submitter_.Divide(blocks_.Own(handle), rows, row_bytes)) {
    parts.push_back(BlockTable::HandleOf(*part));
  }
  return parts;
}

bool TaskOrder::TryUnregister(Handle handle) {
  const topo::Lock lock(mutex_);
  BlockRecord& block = blocks_.Own(handle);
  if (block.part_of.whole != nullptr) {
    lwt::DieOfBrokenContract(absl::StrCat("a part ends with its block ", block.part_of.whole->name,
                                          ", not by Unregister"),
                             __FILE__, __LINE__);
  }
  if (block.divisions != nullptr) return false;
  if (block.has_been_on_device || block.reduction != nullptr || !IsIdle(block)) return false;
  missing_.Forget(block);
  blocks_.End(block);
  return true;
}

std::vector<BlockRecord*> TaskOrder::BeginUnregister(Handle handle) {
  const topo::Lock lock(mutex_);
  std::vector<BlockRecord*> all;
  ForEachPart(blocks_.Own(handle), [&](BlockRecord& block) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (!IsIdle(block)) {
      lwt::DieOfBrokenContract(
          absl::StrCat("no task uses block ", block.name, " when it is unregistered"), __FILE__,
          __LINE__);
    }
    planned_.Read(block, kHost);
    all.push_back(&block);
  });
  return all;
}

void TaskOrder::EndUnregister(Handle handle) {
  const topo::Lock lock(mutex_);
  std::vector<BlockRecord*> all;
  ForEachPart(blocks_.Own(handle), [&](BlockRecord& block) { all.push_back(&block); });
  for (BlockRecord* const block : all) {
    missing_.Forget(*block);
    blocks_.End(*block);
  }
}

absl::StatusOr<Resizing> TaskOrder::BeginResize(Handle handle) {
  const topo::Lock lock(mutex_);
  BlockRecord& block = blocks_.Own(handle);
  if (block.divisions != nullptr || block.part_of.whole != nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("block ", block.name, " is divided, or a part: it keeps its memory"));
  }
  const bool leaves = block.has_been_on_device || block.reduction != nullptr;
  if (leaves && !IsIdle(block)) return IsUsed(block);
  planned_.Read(block, kHost);
  return leaves ? Resizing::kOffTheDevices : Resizing::kInPlace;
}

// Another thread may have submitted tasks since BeginResize.
absl::Status TaskOrder::EndResize(Handle handle, const Tile& tile, Resizing resizing) {
  BlockRecord& block = BlockTable::Of(handle);
  // First the lock for which this thread may have to wait.
  const topo::Lock its_lock(block.mutex);
  const topo::Lock lock(mutex_);
  const bool is_used =
      block.has_been_on_device && !(resizing == Resizing::kOffTheDevices && IsIdle(block));
  if (is_used || HasPartials(block) || !block.replicas.IsOnlyAt(kHost)) return IsUsed(block);
  blocks_.Move(block, tile);
  return absl::OkStatus();
}

// True: there are partial blocks, of the block's present shape, or there may be soon, as tasks use
// it.
bool TaskOrder::HasPartials(const BlockRecord& block) const {
  if (block.reduction == nullptr) return false;
  const std::vector<Reduction::Partial>& partials = block.reduction->blocks;
  return !IsIdle(block) || std::any_of(partials.begin(), partials.end(), [](const auto& partial) {
    return partial.block != nullptr;
  });
}

std::vector<Reduction::Partial> TaskOrder::TakePartials(Handle handle) {
  const topo::Lock lock(mutex_);
  std::vector<Reduction::Partial> taken;
  BlockRecord& block = blocks_.Own(handle);
  if (block.reduction == nullptr || !IsIdle(block)) return taken;
  for (Reduction::Partial& partial : block.reduction->blocks) {
    if (partial.block != nullptr) taken.push_back(std::exchange(partial, {}));
  }
  return taken;
}

void TaskOrder::End(Reduction::Partial& partial) {
  const topo::Lock lock(mutex_);
  missing_.Forget(*partial.block);
  blocks_.End(*partial.block);
}

std::vector<BlockRecord*> TaskOrder::PlanWriteBack() {
  const topo::Lock lock(mutex_);
  std::vector<BlockRecord*> blocks;
  for (const auto& block : blocks_.blocks()) {
    const bool is_wanted = block->is_registered && !block->is_partial;
    if (!is_wanted || !block->has_been_on_device) continue;
    planned_.Read(*block, kHost);
    blocks.push_back(block.get());
  }
  return blocks;
}

}  // namespace taskrt
