// Memory of a device for the blocks of a task, and who makes room for them (transfer/residents.h).
#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/transfer/mover.h"

namespace taskrt {

// All blocks of the task that it uses there get memory and are pinned.
absl::Status Mover::MakeRoom(Task& task, OfDevice& here) {
  std::array<Block*, Task::kMostAccesses> of_task;
  std::span<Block* const> blocks = BlocksHere(task, of_task);
  std::unique_lock lock(here.mutex);
  while (true) {
    if (here.is_lost) {
      return absl::UnavailableError(absl::StrCat(here.device.name(), " is lost"));
    }
    const absl::StatusOr<Room> room = TryRoom(task, blocks, here);
    if (!room.ok()) return room.status();
    if (*room == Room::kMade) break;
    if (*room == Room::kLess) continue;
    if (here.pinned == 0) {
      std::uint64_t needed = 0;
      for (const Block* const block : blocks) needed += block->host.bytes();
      return absl::ResourceExhaustedError(absl::StrCat("its blocks need ", needed,
                                                       " bytes, which are more than there are on ",
                                                       here.device.name()));
    }
    if (blocks.size() < task.accesses().size()) {
      // A task that waits for memory pins nothing elsewhere, or two could wait for each other.
      lock.unlock();
      UnpinElsewhere(task);
      task.where.fill(task.place);
      blocks = BlocksHere(task, of_task);
      lock.lock();
      continue;
    }
    here.freed.Wait(lock);
  }
  ++here.pinned;
  return absl::OkStatus();
}

std::span<Block* const> Mover::BlocksHere(const Task& task, std::span<Block*> space) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    if (task.IsHere(i)) space[count++] = task.accesses()[i].block;
  }
  return space.first(count);
}

// Under the device's mutex. If not kMade, nothing is pinned.
absl::StatusOr<Mover::Room> Mover::TryRoom(const Task& task, std::span<Block* const> blocks,
                                           OfDevice& here) {
  std::uint64_t needed = 0;
  for (const Block* const block : blocks) {
    if (here.residents.Has(block->id)) {
      here.residents.Pin(block->id);
    } else {
      needed += block->host.bytes();
    }
  }
  const auto unpin = [&] {
    for (const Block* const block : blocks) {
      if (here.residents.Has(block->id)) here.residents.Unpin(block->id);
    }
  };
  while (!here.residents.HasRoomFor(needed)) {
    const std::optional<BlockId> victim = here.residents.Victim([&](BlockId block) {
      if (options_.eviction == Eviction::kLeastRecently) return kNever;
      return here.blocks[block]->uses.NextAt(task.place);
    });
    absl::Status left;
    if (victim) left = Evict(*here.blocks[*victim], task.place, task.turn);
    if (victim && left.ok()) continue;
    unpin();
    if (!left.ok()) return left;
    return Room::kWait;
  }
  for (Block* const block : blocks) {
    if (here.residents.Has(block->id)) continue;
    const absl::StatusOr<DeviceMemory> memory = TakeMemory(here, *block, task);
    if (!memory.ok()) {
      unpin();
      if (!absl::IsResourceExhausted(memory.status())) return Heard(task.place, memory.status());
      // Others have taken some of it: so much is not there.
      here.residents.Limit(here.residents.bytes() + block->host.bytes() - 1);
      return Room::kLess;
    }
    block->At(task.place).memory = *memory;
    if (here.blocks.size() <= block->id) here.blocks.resize(block->id + 1);
    here.blocks[block->id] = block;
    here.residents.Add(block->id, block->host.bytes());
    here.residents.Pin(block->id);
  }
  return Room::kMade;
}

void Mover::Unpin(const Task& task) {
  OfDevice& here = Of(task.place);
  {
    const std::lock_guard lock(here.mutex);
    for (std::size_t i = 0; i < task.accesses().size(); ++i) {
      if (task.IsHere(i)) here.residents.Unpin(task.accesses()[i].block->id);
    }
    --here.pinned;
    here.freed.NotifyAll();
  }
  UnpinElsewhere(task);
}

void Mover::UnpinElsewhere(const Task& task) {
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    if (task.IsHere(i)) continue;
    OfDevice& there = Of(task.where[i]);
    const std::lock_guard lock(there.mutex);
    there.residents.Unpin(task.accesses()[i].block->id);
    --there.pinned;
    there.freed.NotifyAll();
  }
}

absl::StatusOr<DeviceMemory> Mover::TakeMemory(OfDevice& here, const Block& block,
                                               const Task& task) {
  const std::uint64_t bytes = block.host.bytes();
  if (std::vector<DeviceMemory>& spare = here.spare[bytes]; !spare.empty()) {
    const DeviceMemory memory = spare.back();
    spare.pop_back();
    return memory;
  }
  const TraceEvent::Moment asked = Now();
  // Kernels of an empty block get a pointer, too.
  const std::uint64_t allocated = std::max<std::uint64_t>(bytes, 1);
  absl::StatusOr<DeviceMemory> memory = here.device.Allocate(allocated);
  if (!memory.ok()) {
    FreeSpare(here);  // What blocks of other sizes have left.
    memory = here.device.Allocate(allocated);
  }
  if (recorder_ != nullptr && memory.ok()) {
    recorder_->Add({.kind = TraceEvent::Kind::kAllocate,
                    .name = block.name,
                    .turn = task.turn,
                    .to = task.place,
                    .bytes = bytes,
                    .asked = asked});
  }
  return memory;
}

void Mover::FreeSpare(OfDevice& here) {
  for (const auto& [bytes, spare] : here.spare) {
    for (const DeviceMemory memory : spare) here.device.Free(memory);
  }
  here.spare.clear();
}

// Under the device's mutex; the block is not pinned. Unavailable: the device is lost, and with it
// perhaps the block, but that is not for the task to know which needs room.
absl::Status Mover::Evict(Block& block, Place place, Turn turn) {
  OfDevice& here = Of(place);
  const std::lock_guard lock(block.mutex);
  if (!block.replicas.LeavesBehind(place)) {
    const absl::Status home = BringHomeLocked(block, turn);
    if (IsLost(place)) return absl::UnavailableError(absl::StrCat(here.device.name(), " is lost"));
    if (!home.ok()) return home;
  }
  if (block.replicas.IsAt(place)) block.replicas.Dropped(place);
  TakeBack(block, place, here);
  return absl::OkStatus();
}

// Under the device's mutex.
void Mover::TakeBack(Block& block, Place place, OfDevice& here) {
  here.residents.Remove(block.id);
  here.spare[block.host.bytes()].push_back(std::exchange(block.At(place).memory, {}));
}

}  // namespace taskrt
