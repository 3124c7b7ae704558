#include "taskrt/transfer/device_cache.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topo/mutex.h"

namespace taskrt {

absl::StatusOr<bool> DeviceCache::Pin(std::span<BlockRecord* const> blocks, SubmitIndex for_task,
                                      IfFull if_full) {
  const topo::Lock lock(mutex_);
  while (true) {
    if (parts_.lost.Has(parts_.place)) {
      return absl::UnavailableError(absl::StrCat(parts_.device.name(), " is lost"));
    }
    const absl::StatusOr<Room> room = TryPin(blocks, for_task);
    if (!room.ok()) return room.status();
    if (*room == Room::kMade) break;
    if (*room == Room::kLess) continue;
    if (pinned_ == 0) {
      std::uint64_t needed = 0;
      for (const BlockRecord* const block : blocks) needed += block->host.bytes();
      return absl::ResourceExhaustedError(absl::StrCat("its blocks need ", needed,
                                                       " bytes, which are more than there are on ",
                                                       parts_.device.name()));
    }
    if (if_full == IfFull::kReturn) return false;
    freed_.Wait(mutex_);
  }
  ++pinned_;
  return true;
}

// If not kMade, nothing is pinned.
absl::StatusOr<DeviceCache::Room> DeviceCache::TryPin(std::span<BlockRecord* const> blocks,
                                                      SubmitIndex for_task) {
  if (parts_.is_exclusive) {
    for (const BlockRecord* const block : blocks) {
      if (residents_.Has(block->id) && residents_.IsPinned(block->id)) return Room::kFull;
    }
  }
  std::uint64_t needed = 0;
  for (const BlockRecord* const block : blocks) {
    if (residents_.Has(block->id)) {
      residents_.Pin(block->id);
    } else {
      needed += block->host.bytes();
    }
  }
  const auto unpin = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (const BlockRecord* const block : blocks) {
      if (residents_.Has(block->id)) residents_.Unpin(block->id);
    }
  };
  while (!residents_.HasRoomFor(needed)) {
    const std::optional<BlockId> victim = Victim();
    absl::Status left;
    if (victim) left = Evict(*blocks_[*victim], for_task);
    if (victim && left.ok()) continue;
    unpin();
    if (!left.ok()) return left;
    return Room::kFull;
  }
  for (BlockRecord* const block : blocks) {
    if (residents_.Has(block->id)) continue;
    const absl::StatusOr<DeviceMemory> memory = TakeMemory(*block, for_task);
    if (!memory.ok()) {
      unpin();
      if (!absl::IsResourceExhausted(memory.status())) {
        return parts_.lost.Note(parts_.place, memory.status());
      }
      // Others have taken some of it: so much is not there.
      residents_.Limit(residents_.bytes() + block->host.bytes() - 1);
      return Room::kLess;
    }
    block->At(parts_.place).memory = *memory;
    if (blocks_.size() <= block->id) blocks_.resize(block->id + 1);
    blocks_[block->id] = block;
    residents_.Add(block->id, block->host.bytes());
    residents_.Pin(block->id);
  }
  return Room::kMade;
}

std::optional<BlockId> DeviceCache::Victim() const {
  return residents_.Victim([this](BlockId block) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (eviction_ == Eviction::kLeastRecently) return kNever;
    return blocks_[block]->future_uses.NextAt(parts_.place);
  });
}

void DeviceCache::Unpin(std::span<BlockRecord* const> blocks) {
  const topo::Lock lock(mutex_);
  for (const BlockRecord* const block : blocks) residents_.Unpin(block->id);
  --pinned_;
  freed_.NotifyAll();
}

DeviceCache::Pinned DeviceCache::PinForOther(BlockRecord& block) {
  const topo::Lock lock(mutex_);
  if (residents_.IsBounded()) return Pinned::kBounded;
  const topo::Lock block_lock(block.mutex);
  if (!block.replicas.IsAt(parts_.place) || !residents_.Has(block.id)) return Pinned::kNoValue;
  residents_.Pin(block.id);
  ++pinned_;
  return Pinned::kYes;
}

// The block is not pinned. Unavailable: the device is lost, and with it perhaps the block, but that
// is no error of the task that needs room.
absl::Status DeviceCache::Evict(BlockRecord& block, SubmitIndex for_task) {
  const topo::Lock lock(block.mutex);
  if (!block.replicas.CanDrop(parts_.place)) {
    const absl::Status written = parts_.copier.WriteBack(block, for_task);
    if (parts_.lost.Has(parts_.place)) {
      return absl::UnavailableError(absl::StrCat(parts_.device.name(), " is lost"));
    }
    if (!written.ok()) return written;
  }
  if (block.replicas.IsAt(parts_.place)) block.replicas.Dropped(parts_.place);
  TakeBack(block);
  return absl::OkStatus();
}

absl::Status DeviceCache::EvictUnlessPinned(BlockRecord& block) {
  const topo::Lock lock(mutex_);
  if (!residents_.Has(block.id) || residents_.IsPinned(block.id)) return absl::OkStatus();
  absl::Status status = parts_.copier.AwaitCopy(block, parts_.place);
  if (status.ok()) status = Evict(block, 0);
  freed_.NotifyAll();
  return status;
}

absl::Status DeviceCache::Discard(BlockRecord& block) {
  const topo::Lock lock(mutex_);
  if (!residents_.Has(block.id)) return absl::OkStatus();
  absl::Status status = parts_.copier.AwaitCopy(block, parts_.place);
  TakeBack(block);
  freed_.NotifyAll();
  return status;
}

void DeviceCache::DropStale(BlockRecord& block) {
  const topo::Lock lock(mutex_);
  if (!residents_.Has(block.id)) return;
  TakeBack(block);
  freed_.NotifyAll();
}

void DeviceCache::FreeAll() {
  const topo::Lock lock(mutex_);
  for (BlockRecord* const block : blocks_) {
    if (block == nullptr || !residents_.Has(block->id)) continue;
    (void)parts_.copier.AwaitCopy(*block, parts_.place);
    TakeBack(*block);
  }
  FreeSpare();
}

absl::StatusOr<DeviceMemory> DeviceCache::TakeMemory(const BlockRecord& block,
                                                     SubmitIndex for_task) {
  const std::uint64_t bytes = block.host.bytes();
  if (std::vector<DeviceMemory>& spare = spare_[bytes]; !spare.empty()) {
    const DeviceMemory memory = spare.back();
    spare.pop_back();
    return memory;
  }
  const bool is_traced = parts_.recorder != nullptr;
  const TraceEvent::Moment asked = is_traced ? Recorder::Now() : TraceEvent::Moment{};
  // Kernels of an empty block get a pointer, too.
  const std::uint64_t allocated = std::max<std::uint64_t>(bytes, 1);
  absl::StatusOr<DeviceMemory> memory = parts_.device.Allocate(allocated);
  if (!memory.ok()) {
    FreeSpare();  // What blocks of other sizes have left.
    memory = parts_.device.Allocate(allocated);
  }
  if (is_traced && memory.ok()) {
    parts_.recorder->Add({.kind = TraceEvent::Kind::kAllocate,
                          .name = block.name,
                          .submit_index = for_task,
                          .to = parts_.place,
                          .bytes = bytes,
                          .asked = asked});
  }
  return memory;
}

void DeviceCache::TakeBack(BlockRecord& block) {
  residents_.Remove(block.id);
  spare_[block.host.bytes()].push_back(std::exchange(block.At(parts_.place).memory, {}));
}

void DeviceCache::FreeSpare() {
  for (const auto& [bytes, spare] : spare_) {
    for (const DeviceMemory memory : spare) parts_.device.Free(memory);
  }
  spare_.clear();
}

}  // namespace taskrt
