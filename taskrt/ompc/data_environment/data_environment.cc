// OpenMP's data regions: the part of PointerRuntime that says when a block is the devices', and
// whose value counts.
#include <algorithm>
#include <cstring>
#include <utility>

#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {
namespace {

std::uintptr_t BeginOf(const PointerMap& map) { return map.host + map.offset; }

// Bytes of the host's that take the place of a part of a block.
struct Patch {
  const std::byte* bytes = nullptr;
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
};

const Kernel& HostCounts() {
  static const auto& kernel =
      *new Kernel(Kernel("update").OnHost([](auto, auto) { return absl::OkStatus(); }));
  return kernel;
}
const Kernel& Patches() {
  static const auto& kernel = *new Kernel(
      Kernel("update").OnHost([](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
        Patch patch;
        std::memcpy(&patch, scalars.data(), sizeof patch);
        std::memcpy(tiles[0].data + patch.offset, patch.bytes, patch.count);
        return absl::OkStatus();
      }));
  return kernel;
}

}  // namespace

absl::Status PointerRuntime::RunOn(Handle handle, Mode mode, const Kernel& kernel,
                                   std::span<const std::byte> scalars) {
  Awaited awaited;
  const Access access{handle, mode};
  absl::Status status = runtime_->SubmitAwaited(kernel, {&access, 1}, scalars, awaited);
  if (status.ok()) runtime_->WaitFor(awaited);
  return status;
}

absl::Status PointerRuntime::EndBlock(std::uintptr_t begin, bool keeps_host, Lock& lock) {
  Known* const known = pointers_.Find(begin);
  if (known == nullptr) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  absl::Status status;
  if (keeps_host) status = RunOn(handle, Mode::kOut, HostCounts(), {});
  if (status.ok()) status = runtime_->WaitOn(handle, Mode::kInOut);
  lock.lock();
  if (IsRefusedWait(status) || pointers_.Find(begin) != known) return status;
  const Block block = std::move(known->value);
  pointers_.Remove(*known);
  status.Update(runtime_->Unregister(block.handle));
  return status;
}

// May the calling task wait for the block's tasks? One that it, or a task above it, uses is up to
// date on the host, and what is no data region's is no device's for a task.
bool PointerRuntime::IsFree(const Known& known, const OmpTask* task) const {
  if (known.bytes == 0) return false;
  return task == nullptr || (IsKeptAt(known.begin) && !task->Holds(known.begin));
}

absl::Status PointerRuntime::Enter(const PointerMap& map) {
  const KeepsTask keeps;  // Each lock may wait, and the OS thread be another then.
  const OmpTask* const task = RunningTask();
  Lock lock(mutex_);
  if (task != nullptr && !IsKeptAt(BeginOf(map))) return absl::OkStatus();
  const auto known = KnownAt(BeginOf(map), map.bytes, lock);
  if (!known.ok()) return known.status();
  if ((*known)->bytes == 0) return absl::InvalidArgumentError("a map without a size");
  ++(*known)->value.regions;
  (*known)->value.is_scratch = false;
  return absl::OkStatus();
}

absl::Status PointerRuntime::Leave(const PointerMap& map, bool all) {
  const KeepsTask keeps;  // Each lock may wait, and the OS thread be another then.
  const OmpTask* const task = RunningTask();
  Lock lock(mutex_);
  Known* const known = pointers_.Find(BeginOf(map));
  if (known == nullptr || known->value.regions == 0) return absl::OkStatus();
  const bool may_end = IsFree(*known, task);
  known->value.regions = all ? 0 : known->value.regions - 1;
  if (known->value.regions > 0 || known->value.is_kept || !may_end) return absl::OkStatus();
  return EndBlock(known->begin, !map.to_host, lock);
}

absl::Status PointerRuntime::UpdateDevice(const PointerMap& map) {
  const KeepsTask keeps;  // Each lock may wait, and the OS thread be another then.
  const OmpTask* const task = RunningTask();
  Lock lock(mutex_);
  const Known* const known = pointers_.Find(BeginOf(map));
  if (known == nullptr || !IsFree(*known, task)) return absl::OkStatus();
  const Handle handle = known->value.handle;
  const std::uint64_t offset = BeginOf(map) - known->begin;
  if (map.bytes == 0 || map.bytes >= known->bytes) {
    lock.unlock();
    return RunOn(handle, Mode::kOut, HostCounts(), {});
  }
  if (offset + map.bytes > known->bytes) {
    return absl::InvalidArgumentError("the part of a block that is updated goes beyond its end");
  }
  lock.unlock();
  const auto copy = std::make_unique_for_overwrite<std::byte[]>(map.bytes);
  std::memcpy(copy.get(), reinterpret_cast<const std::byte*>(BeginOf(map)), map.bytes);
  const Patch patch{copy.get(), map.bytes, offset};
  return RunOn(handle, Mode::kInOut, Patches(), std::as_bytes(std::span(&patch, 1)));
}

absl::Status PointerRuntime::UpdateHost(const PointerMap& map) {
  const KeepsTask keeps;  // Each lock may wait, and the OS thread be another then.
  const OmpTask* const task = RunningTask();
  Lock lock(mutex_);
  const Known* const known = pointers_.Find(BeginOf(map));
  if (known == nullptr || !IsFree(*known, task)) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  return runtime_->WaitOn(handle);
}

absl::Status PointerRuntime::Release(std::span<const PointerMap* const> maps) {
  const KeepsTask keeps;
  absl::Status status;
  for (const PointerMap* const map : maps) {
    Lock lock(mutex_);
    Known* const known = pointers_.Find(BeginOf(*map));
    if (known == nullptr || known->bytes == 0) continue;
    Block& block = known->value;
    if (block.regions > 0) continue;
    if (block.is_kept) {
      const Handle handle = block.handle;
      lock.unlock();
      status.Update(runtime_->WaitOn(handle));
      continue;
    }
    const std::uint64_t last_use = block.last_use;
    const Handle handle = block.handle;
    ++block.waiters;
    lock.unlock();
    absl::Status idle;
    if (block.is_scratch) idle = RunOn(handle, Mode::kOut, HostCounts(), {});
    if (idle.ok()) idle = runtime_->WaitOn(handle, Mode::kInOut);
    status.Update(idle);
    lock.lock();
    // Others that use it, or wait for it, come to here after this.
    if (--block.waiters > 0 || IsRefusedWait(idle) || block.last_use != last_use ||
        block.regions > 0)
      continue;
    status.Update(runtime_->Unregister(handle));
    pointers_.Remove(*known);
  }
  return status;
}

bool PointerRuntime::HasRegions() const {
  const std::lock_guard lock(mutex_);
  auto& pointers = const_cast<Pointers<Block>&>(pointers_);
  return std::any_of(pointers.begin(), pointers.end(),
                     [](const auto& known) { return known.second.value.regions > 0; });
}

absl::Status PointerRuntime::ReleaseScratch() {
  std::vector<PointerMap> scratch;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [begin, known] : pointers_) {
      if (known.value.is_scratch) scratch.push_back({.host = begin});
    }
  }
  std::vector<const PointerMap*> maps;
  for (const PointerMap& map : scratch) maps.push_back(&map);
  return Release(maps);
}

Handle PointerRuntime::TakeOrder() {
  const std::lock_guard lock(mutex_);
  if (!orders_.empty()) {
    const Handle order = orders_.back();
    orders_.pop_back();
    return order;
  }
  order_memory_.push_back(std::make_unique<std::byte>());
  return runtime_->Register("order", {order_memory_.back().get(), 1, 1, 1});
}

void PointerRuntime::GiveOrder(Handle order) {
  const std::lock_guard lock(mutex_);
  orders_.push_back(order);
}

bool PointerRuntime::IsKeptAt(std::uintptr_t pointer) const {
  const Known* const known = const_cast<Pointers<Block>&>(pointers_).Find(pointer);
  return known != nullptr && (known->value.is_kept || known->value.regions > 0);
}

bool PointerRuntime::IsKept(const PointerMap& map) const {
  const std::lock_guard lock(mutex_);
  return IsKeptAt(BeginOf(map));
}

bool PointerRuntime::IsHeld(const PointerMap& map, const OmpTask* task) const {
  if (task == nullptr) return false;
  const std::lock_guard lock(mutex_);
  const Known* const known = const_cast<Pointers<Block>&>(pointers_).Find(BeginOf(map));
  return known != nullptr && known->bytes > 0 && task->Holds(known->begin);
}

absl::Status PointerRuntime::FirstError() {
  const KeepsTask keeps;
  const Handle order = TakeOrder();
  absl::Status status = runtime_->WaitOn(order);
  GiveOrder(order);
  return status;
}

}  // namespace taskrt
