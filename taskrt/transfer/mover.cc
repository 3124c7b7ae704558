#include "taskrt/transfer/mover.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topo/mutex.h"

namespace taskrt {
namespace {

// The blocks of the task of which it uses its own place's memory.
class BlocksHere {
 public:
  explicit BlocksHere(const Task& task) {
    for (std::size_t i = 0; i < task.accesses().size(); ++i) {
      if (task.IsHere(i)) blocks_.push_back(task.accesses()[i].block);
    }
  }
  operator std::span<BlockRecord* const>() const { return blocks_; }
  std::size_t size() const { return blocks_.size(); }

 private:
  std::vector<BlockRecord*> blocks_;
};

}  // namespace

Mover::Mover(std::span<const std::unique_ptr<Device>> devices, const MoverOptions& options,
             Recorder* recorder)
    : options_(options), lost_(devices.size()), copier_(devices, options, lost_, recorder) {
  for (const std::unique_ptr<Device>& device : devices) {
    std::uint64_t capacity = device->memory_bytes();
    if (options.device_bytes > 0 && (capacity == 0 || options.device_bytes < capacity)) {
      capacity = options.device_bytes;
    }
    is_bounded_ = is_bounded_ || capacity > 0;
    caches_.push_back(std::make_unique<DeviceCache>(
        DeviceCache::Parts{.device = *device,
                           .place = static_cast<Place>(caches_.size() + 1),
                           .copier = copier_,
                           .lost = lost_,
                           .recorder = recorder,
                           .is_exclusive = !options.optimizes},
        capacity, options.eviction));
  }
}

void Mover::FreeAll() {
  for (const auto& cache : caches_) cache->FreeAll();
}

void Mover::AddUses(const Task& task) {
  for (const TaskAccess& access : task.accesses())
    access.block->future_uses.Add(task.submit_index, task.place());
}

void Mover::RemoveUses(const Task& task) {
  for (const TaskAccess& access : task.accesses())
    access.block->future_uses.Remove(task.submit_index);
}

absl::Status Mover::Prepare(Task& task, Prepared& prepared) {
  ChooseWhere(task);
  if (task.place() != kHost) {
    if (absl::Status room = MakeRoom(task); !room.ok()) {
      UnpinElsewhere(task);
      return room;
    }
  }
  absl::Status status = BringAll(task, prepared);
  if (status.ok()) {
    BeginWrites(task);
  } else if (task.place() != kHost) {
    (void)Await(task.place(), prepared);
    Unpin(task);
  }
  return status;
}

absl::Status Mover::BringAll(Task& task, Prepared& prepared) {
  absl::Status status;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    BlockRecord& block = *access.block;
    const topo::Lock lock(block.mutex);
    const bool needs_copy = options_.optimizes
                                ? block.replicas.NeedsCopy(task.where()[i], access.mode)
                                : task.place() != kHost && Reads(access.mode);
    if (needs_copy) {
      const absl::StatusOr<Ticket> coming = copier_.CopyTo(task.place(), block, task.submit_index);
      status.Update(coming.status());
      if (!coming.ok()) break;
    }
    if (task.place() == kHost) {
      prepared.Add(task.tiles()[i]);
      continue;
    }
    const Place where = task.where()[i];
    BlockRecord::AtDevice& at = block.At(where);
    prepared.Add(Packed(block.host, at.memory.data));
    if (task.IsHere(i)) {
      if (at.arrived != kDone) prepared.Await(at.arrived);
    } else {
      // This device's queues know nothing of the other's.
      status.Update(lost_.Note(where, CacheAt(where).device().Wait(at.arrived)));
    }
  }
  return status;
}

// Not before all else has succeeded: until then the old values are wanted.
void Mover::BeginWrites(const Task& task) {
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    if (!Writes(access.mode)) continue;
    const topo::Lock lock(access.block->mutex);
    access.block->replicas.BeginWrite(task.where()[i], access.mode);
  }
}

absl::Status Mover::Await(Place place, const Prepared& prepared) {
  absl::Status status;
  for (const Ticket ticket : prepared.arrived()) {
    status.Update(lost_.Note(place, CacheAt(place).device().Wait(ticket)));
  }
  return status;
}

absl::Status Mover::Finish(const Task& task, KernelEnd end) {
  absl::Status status;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    BlockRecord& block = *access.block;
    if (end == KernelEnd::kDone && IsLastUse(access)) {
      const topo::Lock lock(block.mutex);
      block.replicas = Replicas();
    }
    if (!Writes(access.mode)) continue;
    const Place where = task.where()[i];
    Replicas before;
    {
      const topo::Lock lock(block.mutex);
      before = block.replicas;
      if (end == KernelEnd::kFailed) {
        if (!block.replicas.AbandonWrite() && !lost_.Has(where)) {
          status.Update(ChangedInPart(task, i));
        }
        continue;
      }
      block.replicas.EndWrite();
      if (where != kHost) {
        block.At(where).arrived = kDone;
        if (!options_.optimizes) status.Update(copier_.WriteBack(block, task.submit_index));
      }
    }
    DropStale(block, before, where);
  }
  if (task.place() != kHost) Unpin(task);
  return status;
}

// What other devices have of the block is no use any more. No task reads it: those that read the
// block come later.
void Mover::DropStale(BlockRecord& block, const Replicas& before, Place newest) {
  for (Place other = 1; other <= static_cast<Place>(caches_.size()); ++other) {
    if (other == newest || (!before.IsAt(other) && !block.is_partial)) continue;
    CacheAt(other).DropStale(block);
  }
}

absl::Status Mover::ChangedInPart(const Task& task, std::size_t access) {
  const auto name = [&](Place place) {
    return place == kHost ? std::string("the host") : CacheAt(place).device().name();
  };
  return absl::DataLossError(absl::StrCat(
      "the newest value of ", task.accesses()[access].block->name, " was only on ",
      name(task.where()[access]), ", where a task on ", name(task.place()), " was changing it"));
}

void Mover::ChooseWhere(Task& task) {
  std::ranges::fill(task.where(), task.place());
  if (task.place() == kHost || options_.across != Across::kAccess || !options_.optimizes) return;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    if (Reads(access.mode)) task.where()[i] = PinElsewhere(*access.block, task.place());
  }
}

// The device whose memory of the block is to be used from `place`, where it stays meanwhile; or
// `place`.
Place Mover::PinElsewhere(BlockRecord& block, Place place) {
  while (true) {
    absl::StatusOr<Place> from = place;
    {
      const topo::Lock lock(block.mutex);
      if (!block.replicas.IsAt(place)) from = copier_.SourceOf(block, place);
    }
    // BringAll meets the same error.
    const Place source = from.value_or(place);
    if (source == place || source == kHost) return place;
    if (!CacheAt(place).device().CanAccess(CacheAt(source).device())) return place;
    switch (CacheAt(source).PinForOther(block)) {
      case DeviceCache::Pinned::kYes:
        return source;
      case DeviceCache::Pinned::kBounded:
        return place;
      case DeviceCache::Pinned::kNoValue:
        break;  // It has gone from there since.
    }
  }
}

// All blocks of which the task uses its own place's memory have memory there and are pinned.
absl::Status Mover::MakeRoom(Task& task) {
  while (true) {
    const BlocksHere blocks(task);
    const bool are_all = blocks.size() == task.accesses().size();
    const absl::StatusOr<bool> pinned =
        CacheAt(task.place())
            .Pin(blocks, task.submit_index,
                 are_all ? DeviceCache::IfFull::kWait : DeviceCache::IfFull::kReturn);
    if (!pinned.ok()) return pinned.status();
    if (*pinned) return absl::OkStatus();
    UnpinElsewhere(task);
    std::ranges::fill(task.where(), task.place());
  }
}

void Mover::Unpin(const Task& task) {
  CacheAt(task.place()).Unpin(BlocksHere(task));
  UnpinElsewhere(task);
}

void Mover::UnpinElsewhere(const Task& task) {
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    if (!task.IsHere(i)) CacheAt(task.where()[i]).UnpinForOther(*task.accesses()[i].block);
  }
}

absl::Status Mover::NoteOfKernel(const Task& task, absl::Status status) {
  for (std::size_t i = 0; i < task.accesses().size() && IsLoss(status); ++i) {
    if (task.IsHere(i)) continue;
    status = copier_.NoteOfBoth(task.where()[i], task.place(), std::move(status));
    if (lost_.Has(task.where()[i])) return status;
  }
  return lost_.Note(task.place(), std::move(status));
}

absl::Status Mover::WriteBack(BlockRecord& block) {
  const topo::Lock lock(block.mutex);
  return copier_.WriteBack(block, 0);
}

absl::Status Mover::LeaveDevices(BlockRecord& block) {
  absl::Status status = WriteBack(block);
  for (std::size_t i = 0; i < caches_.size() && status.ok(); ++i) {
    status = caches_[i]->EvictUnlessPinned(block);
  }
  return status;
}

absl::Status Mover::Discard(BlockRecord& block) {
  absl::Status status;
  for (const auto& cache : caches_) status.Update(cache->Discard(block));
  const topo::Lock lock(block.mutex);
  block.replicas = Replicas();
  return status;
}

PlanOptions Mover::plan_options() const {
  PlanOptions options = {.source = options_.source,
                         .across = options_.across,
                         .optimizes = options_.optimizes,
                         .eviction = options_.eviction};
  for (const auto& cache : caches_) {
    const std::uint64_t capacity = cache->capacity();
    if (capacity == 0) continue;
    const bool is_least = options.device_bytes == 0 || capacity < options.device_bytes;
    if (is_least) options.device_bytes = capacity;
  }
  return options;
}

}  // namespace taskrt
