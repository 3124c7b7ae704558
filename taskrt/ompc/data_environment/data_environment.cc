#include "taskrt/ompc/data_environment/data_environment.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace taskrt {
namespace {

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

absl::Status DataEnvironment::RunOn(Handle handle, Mode mode, const Kernel& kernel,
                                    std::span<const std::byte> scalars) {
  Awaited awaited;
  const Access access{handle, mode};
  absl::Status status = runtime_.SubmitAwaited(kernel, {&access, 1}, scalars, awaited);
  if (status.ok()) runtime_.WaitFor(awaited);
  return status;
}

absl::Status DataEnvironment::EndBlock(std::uintptr_t begin, Newest newest, Lock& lock) {
  Known* const known = blocks_.Find(begin);
  if (known == nullptr) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  absl::Status status;
  if (newest == Newest::kHost) status = RunOn(handle, Mode::kOut, HostCounts(), {});
  if (status.ok()) status = runtime_.WaitOn(handle, Mode::kInOut);
  lock.lock();
  if (IsRefusedWait(status) || blocks_.Find(begin) != known) return status;
  const PointerBlock block = std::move(known->value);
  blocks_.Remove(*known);
  status.Update(runtime_.Unregister(block.handle));
  return status;
}

// May the caller wait for the block's tasks? A block that the caller, or a task above it, uses is
// up to date on the host, and for a task a block that is not present is on no device.
bool DataEnvironment::MayWaitFor(const Known& known, const Caller& caller) {
  if (known.bytes == 0) return false;
  return caller.is_program || (known.value.is_present() && !caller.Uses(known.begin));
}

absl::Status DataEnvironment::Enter(const PointerMap& map, const Caller& caller) {
  Lock lock(blocks_.mutex());
  if (!caller.is_program && !blocks_.IsPresent(map.begin())) return absl::OkStatus();
  const auto known = blocks_.At(map.begin(), map.bytes, lock);
  if (!known.ok()) return known.status();
  if ((*known)->bytes == 0) return absl::InvalidArgumentError("a map without a size");
  ++(*known)->value.reference_count;
  (*known)->value.is_released = false;
  return absl::OkStatus();
}

absl::Status DataEnvironment::Exit(const PointerMap& map, ExitType type, const Caller& caller) {
  Lock lock(blocks_.mutex());
  Known* const known = blocks_.Find(map.begin());
  if (known == nullptr || known->value.reference_count == 0) return absl::OkStatus();
  const bool may_end = MayWaitFor(*known, caller);
  known->value.reference_count = type == ExitType::kDelete ? 0 : known->value.reference_count - 1;
  if (known->value.is_present() || !may_end) return absl::OkStatus();
  return EndBlock(known->begin, map.to_host ? Newest::kDevice : Newest::kHost, lock);
}

absl::Status DataEnvironment::UpdateDevice(const PointerMap& map, const Caller& caller) {
  Lock lock(blocks_.mutex());
  const Known* const known = blocks_.Find(map.begin());
  if (known == nullptr || !MayWaitFor(*known, caller)) return absl::OkStatus();
  const Handle handle = known->value.handle;
  const std::uint64_t offset = map.begin() - known->begin;
  if (map.bytes == 0 || map.bytes >= known->bytes) {
    lock.unlock();
    return RunOn(handle, Mode::kOut, HostCounts(), {});
  }
  if (offset + map.bytes > known->bytes) {
    return absl::InvalidArgumentError("the part of a block that is updated goes beyond its end");
  }
  lock.unlock();
  const auto copy = std::make_unique_for_overwrite<std::byte[]>(map.bytes);
  std::memcpy(copy.get(), reinterpret_cast<const std::byte*>(map.begin()), map.bytes);
  const Patch patch{copy.get(), map.bytes, offset};
  return RunOn(handle, Mode::kInOut, Patches(), std::as_bytes(std::span(&patch, 1)));
}

absl::Status DataEnvironment::UpdateHost(const PointerMap& map, const Caller& caller) {
  Lock lock(blocks_.mutex());
  const Known* const known = blocks_.Find(map.begin());
  if (known == nullptr || !MayWaitFor(*known, caller)) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  return runtime_.WaitOn(handle);
}

absl::Status DataEnvironment::ExitTarget(std::span<const PointerMap* const> maps) {
  absl::Status status;
  for (const PointerMap* const map : maps) {
    Lock lock(blocks_.mutex());
    Known* const known = blocks_.Find(map->begin());
    if (known == nullptr || known->bytes == 0) continue;
    PointerBlock& block = known->value;
    if (block.reference_count > 0) continue;
    if (block.is_infinite) {
      const Handle handle = block.handle;
      lock.unlock();
      status.Update(runtime_.WaitOn(handle));
      continue;
    }
    const std::uint64_t last_use = block.last_use;
    const Handle handle = block.handle;
    ++block.waiters;
    lock.unlock();
    absl::Status idle;
    if (block.is_released) idle = RunOn(handle, Mode::kOut, HostCounts(), {});
    if (idle.ok()) idle = runtime_.WaitOn(handle, Mode::kInOut);
    status.Update(idle);
    lock.lock();
    // Others that use it, or wait for it, come to here after this.
    if (--block.waiters > 0 || IsRefusedWait(idle) || block.last_use != last_use ||
        block.reference_count > 0)
      continue;
    status.Update(runtime_.Unregister(handle));
    blocks_.Remove(*known);
  }
  return status;
}

bool DataEnvironment::HasRegions() {
  const Lock lock(blocks_.mutex());
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [](const auto& known) { return known.second.value.reference_count > 0; });
}

absl::Status DataEnvironment::ExitReleased() {
  std::vector<PointerMap> released;
  {
    const Lock lock(blocks_.mutex());
    for (const auto& [begin, known] : blocks_) {
      if (known.value.is_released) released.push_back({.host = begin});
    }
  }
  std::vector<const PointerMap*> maps;
  for (const PointerMap& map : released) maps.push_back(&map);
  return ExitTarget(maps);
}

bool DataEnvironment::IsPresent(const PointerMap& map) {
  const Lock lock(blocks_.mutex());
  return blocks_.IsPresent(map.begin());
}

bool DataEnvironment::IsUsedBy(const Caller& caller, const PointerMap& map) {
  if (caller.is_program) return false;
  const Lock lock(blocks_.mutex());
  const Known* const known = blocks_.Find(map.begin());
  return known != nullptr && known->bytes > 0 && caller.Uses(known->begin);
}

}  // namespace taskrt
