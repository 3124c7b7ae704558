#include "taskrt/transfer/mover.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

// Asked for now.
TraceEvent CopyOf(const Block& block, Place from, Place to, Turn turn) {
  return {.kind = TraceEvent::Kind::kCopy,
          .name = block.name,
          .turn = turn,
          .from = from,
          .to = to,
          .bytes = block.host.bytes(),
          .asked = Recorder::Now()};
}

}  // namespace

Mover::Mover(std::span<const std::unique_ptr<Device>> devices, const MoverOptions& options,
             Recorder* recorder)
    : options_(options), recorder_(recorder) {
  for (const std::unique_ptr<Device>& device : devices) {
    std::uint64_t capacity = device->memory_bytes();
    if (options.device_bytes > 0 && (capacity == 0 || options.device_bytes < capacity)) {
      capacity = options.device_bytes;
    }
    is_bounded_ = is_bounded_ || capacity > 0;
    devices_.push_back(std::make_unique<OfDevice>(*device, capacity));
  }
}

void Mover::FreeAll() {
  for (Place place = 1; place <= static_cast<Place>(devices_.size()); ++place) {
    OfDevice& there = Of(place);
    const std::lock_guard lock(there.mutex);
    for (Block* const block : there.blocks) {
      if (block == nullptr || !there.residents.Has(block->id)) continue;
      (void)WaitForCopy(*block, place);
      TakeBack(*block, place, there);
    }
    FreeSpare(there);
  }
}

void Mover::AddUses(const Task& task) {
  for (const TaskAccess& access : task.accesses()) access.block->uses.Add(task.turn, task.place);
}

void Mover::RemoveUses(const Task& task) {
  for (const TaskAccess& access : task.accesses()) access.block->uses.Remove(task.turn);
}

absl::Status Mover::Prepare(Task& task, Prepared& prepared) {
  ChooseWhere(task);
  if (task.place != kHost) {
    if (absl::Status room = MakeRoom(task, Of(task.place)); !room.ok()) {
      UnpinElsewhere(task);
      return room;
    }
  }
  absl::Status status;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    Block& block = *access.block;
    const std::lock_guard lock(block.mutex);
    const bool must_come = options_.optimizes ? block.replicas.MustCome(task.where[i], access.mode)
                                              : task.place != kHost && Reads(access.mode);
    if (must_come) {
      const absl::StatusOr<Ticket> coming = Bring(block, task.place, task.turn);
      status.Update(coming.status());
      if (!coming.ok()) break;
    }
    if (task.place == kHost) {
      prepared.Add(task.tiles()[i]);
      continue;
    }
    Block::AtDevice& at = block.At(task.where[i]);
    prepared.Add(Packed(block.host, at.memory.data));
    if (task.IsHere(i)) {
      if (at.arrived != kDone) prepared.Await(at.arrived);
    } else {
      // This device's queues know nothing of the other's.
      status.Update(Heard(task.where[i], Of(task.where[i]).device.Wait(at.arrived)));
    }
  }
  if (status.ok()) {
    BeginWrites(task);
  } else if (task.place != kHost) {
    (void)Await(task.place, prepared);
    Unpin(task);
  }
  return status;
}

// Not before all else has succeeded: until then the old values are wanted.
void Mover::BeginWrites(const Task& task) {
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    if (!Writes(access.mode)) continue;
    const std::lock_guard lock(access.block->mutex);
    access.block->replicas.BeginWrite(task.where[i], access.mode);
  }
}

absl::Status Mover::Await(Place place, const Prepared& prepared) {
  absl::Status status;
  for (const Ticket ticket : prepared.arrived()) {
    status.Update(Heard(place, Of(place).device.Wait(ticket)));
  }
  return status;
}

absl::Status Mover::Finish(const Task& task, bool has_run) {
  absl::Status status;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    Block& block = *access.block;
    if (has_run && IsLastUse(access)) {
      const std::lock_guard lock(block.mutex);
      block.replicas = Replicas();
    }
    if (!Writes(access.mode)) continue;
    const Place where = task.where[i];
    Replicas before;
    {
      const std::lock_guard lock(block.mutex);
      before = block.replicas;
      if (!has_run) {
        if (!block.replicas.AbandonWrite() && !IsLost(where)) status.Update(ChangedInPart(task, i));
        continue;
      }
      block.replicas.EndWrite();
      if (where != kHost) {
        block.At(where).arrived = kDone;
        if (!options_.optimizes) status.Update(BringHomeLocked(block, task.turn));
      }
    }
    // What others have of it is no use any more. Nobody reads it: those who do come later.
    for (Place other = 1; other <= static_cast<Place>(devices_.size()); ++other) {
      if (other == where || (!before.IsAt(other) && !block.is_partial)) continue;
      OfDevice& there = Of(other);
      const std::lock_guard lock(there.mutex);
      if (!there.residents.Has(block.id)) continue;
      TakeBack(block, other, there);
      there.freed.NotifyAll();
    }
  }
  if (task.place != kHost) Unpin(task);
  return status;
}

absl::Status Mover::ChangedInPart(const Task& task, std::size_t access) {
  const auto name = [&](Place place) {
    return place == kHost ? std::string("the host") : Of(place).device.name();
  };
  return absl::DataLossError(absl::StrCat(
      "the newest value of ", task.accesses()[access].block->name, " was only on ",
      name(task.where[access]), ", where a task on ", name(task.place), " was changing it"));
}

void Mover::ChooseWhere(Task& task) {
  task.where.fill(task.place);
  if (task.place == kHost || options_.across != Across::kAccess || !options_.optimizes) return;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    const TaskAccess& access = task.accesses()[i];
    if (Reads(access.mode)) task.where[i] = PinElsewhere(*access.block, task.place);
  }
}

// The device whose memory of the block is to be used from `place`, where it stays meanwhile; or
// `place`.
Place Mover::PinElsewhere(Block& block, Place place) {
  while (true) {
    absl::StatusOr<Place> from = place;
    {
      const std::lock_guard lock(block.mutex);
      if (!block.replicas.IsAt(place)) from = SourceOf(block, place);
    }
    // Who brings it finds the same error.
    const Place source = from.value_or(place);
    if (source == place || source == kHost) return place;
    OfDevice& there = Of(source);
    if (!Of(place).device.CanAccess(there.device)) return place;
    const std::lock_guard lock(there.mutex);
    // What is short there goes to tasks of its own.
    if (there.residents.IsBounded()) return place;
    const std::lock_guard block_lock(block.mutex);
    if (!block.replicas.IsAt(source) || !there.residents.Has(block.id)) continue;  // It has gone.
    there.residents.Pin(block.id);
    ++there.pinned;
    return source;
  }
}

// Under the block's mutex, which keeps it where it is copied from.
absl::StatusOr<Ticket> Mover::Bring(Block& block, Place place, Turn turn) {
  if (place == kHost) {
    if (absl::Status home = BringHomeLocked(block, turn); !home.ok()) return home;
    return kDone;
  }
  if (block.host.bytes() == 0) {  // Drivers refuse to copy nothing.
    block.replicas.Arrived(place);
    return kDone;
  }
  while (true) {
    const absl::StatusOr<Place> from = options_.optimizes ? SourceOf(block, place) : kHost;
    if (!from.ok()) return from.status();
    const Place source = *from;
    if (source == kHost) return BringFromHost(block, place, turn);
    if (options_.across != Across::kStaged) {
      const absl::StatusOr<bool> is_across = BringAcross(block, source, place, turn);
      if (!is_across.ok() && IsLost(source)) continue;  // Perhaps there is another source.
      if (!is_across.ok()) return is_across.status();
      if (*is_across) return kDone;
    }
    if (absl::Status home = BringHomeLocked(block, turn); !home.ok()) return home;
    return BringFromHost(block, place, turn);
  }
}

absl::StatusOr<Ticket> Mover::BringFromHost(Block& block, Place place, Turn turn) {
  OfDevice& here = Of(place);
  Block::AtDevice& at = block.At(place);
  TraceEvent event;
  if (recorder_ != nullptr) event = CopyOf(block, kHost, place, turn);
  const absl::StatusOr<Ticket> coming = here.device.CopyIn(block.host, at.memory, kDone);
  if (!coming.ok()) return Heard(place, coming.status());
  at.arrived = *coming;
  if (recorder_ != nullptr) recorder_->Promise(std::move(event), here.device, *coming);
  Count(kHost, place, block.host.bytes());
  block.replicas.Arrived(place);
  return at.arrived;
}

// Under the block's mutex. DataLoss: it was only where nothing can be asked any more.
absl::StatusOr<Place> Mover::SourceOf(Block& block, Place to) {
  while (true) {
    const Place source = block.replicas.SourceFor(to, options_.source);
    if (!IsLost(source)) return source;
    if (block.replicas.IsOnlyAt(source)) {
      return absl::DataLossError(absl::StrCat("the newest value of ", block.name, " was only on ",
                                              Of(source).device.name(), ", which is lost"));
    }
    block.replicas.Dropped(source);
  }
}

// False: those devices cannot copy from each other.
absl::StatusOr<bool> Mover::BringAcross(Block& block, Place source, Place place, Turn turn) {
  OfDevice &there = Of(source), &here = Of(place);
  if (absl::Status whole = Heard(source, there.device.Wait(block.At(source).arrived));
      !whole.ok()) {
    return whole;
  }
  TraceEvent event;
  if (recorder_ != nullptr) event = CopyOf(block, source, place, turn);
  const absl::StatusOr<Ticket> coming =
      here.device.CopyAcross(there.device, block.At(source).memory, block.At(place).memory);
  if (absl::IsUnimplemented(coming.status())) return false;
  if (!coming.ok()) return HeardOfBoth(source, place, coming.status());
  if (absl::Status come = here.device.Wait(*coming); !come.ok()) {
    return HeardOfBoth(source, place, std::move(come));
  }
  block.At(place).arrived = kDone;
  if (recorder_ != nullptr) recorder_->Add(std::move(event), here.device, *coming);
  Count(source, place, block.host.bytes());
  block.replicas.Arrived(place);
  return true;
}

// `place` was asked to use what is at `source`: which of them is lost?
absl::Status Mover::HeardOfBoth(Place source, Place place, absl::Status status) {
  if (!IsLoss(status)) return status;
  (void)Heard(source, Of(source).device.Wait(kDone));
  return IsLost(source) ? status : Heard(place, std::move(status));
}

absl::Status Mover::HeardOfKernel(const Task& task, absl::Status status) {
  for (std::size_t i = 0; i < task.accesses().size() && IsLoss(status); ++i) {
    if (task.IsHere(i)) continue;
    status = HeardOfBoth(task.where[i], task.place, std::move(status));
    if (IsLost(task.where[i])) return status;
  }
  return Heard(task.place, std::move(status));
}

absl::Status Mover::BringHome(Block& block) {
  const std::lock_guard lock(block.mutex);
  return BringHomeLocked(block, 0);
}

absl::Status Mover::LeaveDevices(Block& block) {
  absl::Status status = BringHome(block);
  for (Place place = 1; place <= static_cast<Place>(devices_.size()) && status.ok(); ++place) {
    OfDevice& there = Of(place);
    const std::lock_guard lock(there.mutex);
    if (!there.residents.Has(block.id) || there.residents.IsPinned(block.id)) continue;
    status = WaitForCopy(block, place);
    if (status.ok()) status = Evict(block, place, 0);
    there.freed.NotifyAll();
  }
  return status;
}

absl::Status Mover::Discard(Block& block) {
  absl::Status status;
  for (Place place = 1; place <= static_cast<Place>(devices_.size()); ++place) {
    OfDevice& there = Of(place);
    const std::lock_guard lock(there.mutex);
    if (!there.residents.Has(block.id)) continue;
    status.Update(WaitForCopy(block, place));
    TakeBack(block, place, there);
    there.freed.NotifyAll();
  }
  const std::lock_guard lock(block.mutex);
  block.replicas = Replicas();
  return status;
}

// Under the device's mutex. A copy that no kernel came for may still read the user's memory; not if
// the device is lost.
absl::Status Mover::WaitForCopy(Block& block, Place place) {
  const absl::Status come =
      Heard(place, Of(place).device.Wait(std::exchange(block.At(place).arrived, kDone)));
  return IsLoss(come) ? absl::OkStatus() : come;
}

// DataLoss, but never Unavailable: who asks for it needs no device, and need not ask again.
absl::Status Mover::BringHomeLocked(Block& block, Turn turn) {
  // First of all: the place of a block that has ended may be getting another one's memory.
  if (!block.replicas.MustComeHome()) return absl::OkStatus();
  if (block.host.bytes() == 0) block.replicas.Arrived(kHost);
  while (block.replicas.MustComeHome()) {
    const absl::StatusOr<Place> from = SourceOf(block, kHost);
    if (!from.ok()) return from.status();
    const Place source = *from;
    Device& device = Of(source).device;
    const Block::AtDevice& at = block.At(source);
    TraceEvent event;
    if (recorder_ != nullptr) event = CopyOf(block, source, kHost, turn);
    const absl::StatusOr<Ticket> coming = device.CopyOut(at.memory, block.host, at.arrived);
    absl::Status come = Heard(source, coming.ok() ? device.Wait(*coming) : coming.status());
    if (!come.ok() && IsLost(source)) continue;  // Perhaps there is another source.
    if (!come.ok()) return come;
    if (recorder_ != nullptr) recorder_->Add(std::move(event), device, *coming);
    Count(source, kHost, block.host.bytes());
    block.replicas.Arrived(kHost);
  }
  return absl::OkStatus();
}

void Mover::Count(Place from, Place to, std::uint64_t bytes) {
  const std::lock_guard lock(counts_mutex_);
  CopyCount& count = counts_.Of(from, to);
  ++count.copies;
  count.bytes += bytes;
}

CopyCounts Mover::counts() const {
  const std::lock_guard lock(counts_mutex_);
  return counts_;
}

PlanOptions Mover::plan_options() const {
  PlanOptions options = {.source = options_.source,
                         .across = options_.across,
                         .optimizes = options_.optimizes,
                         .eviction = options_.eviction};
  for (const auto& one : devices_) {
    if (one->capacity == 0) continue;
    const bool is_least = options.device_bytes == 0 || one->capacity < options.device_bytes;
    if (is_least) options.device_bytes = one->capacity;
  }
  return options;
}

}  // namespace taskrt
