#include "taskrt/sim/device.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

void CopyRows(const Tile& from, const Tile& to) {
  for (std::uint64_t row = 0; row < from.rows; ++row) {
    std::memcpy(to.data + row * to.stride, from.data + row * from.stride, from.row_bytes);
  }
}

Ticket NowTicket() {
  return static_cast<Ticket>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(lwt::Now().time_since_epoch()).count());
}

}  // namespace

absl::StatusOr<DeviceMemory> SimulatedDevice::Allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (options_.memory_bytes > 0 && used_ + bytes > options_.memory_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(options_.name, " has ", options_.memory_bytes,
                                                     " bytes, of which ", used_, " are used, not ",
                                                     bytes, " more"));
  }
  used_ += bytes;
  if (options_.is_dry) return DeviceMemory{nullptr, bytes};
  auto memory = std::make_unique<std::byte[]>(bytes);
  std::byte* const data = memory.get();
  allocated_.emplace(data, std::move(memory));
  return DeviceMemory{data, bytes};
}

void SimulatedDevice::Free(DeviceMemory memory) {
  const std::lock_guard lock(mutex_);
  allocated_.erase(memory.data);
  used_ -= memory.bytes;
}

Ticket SimulatedDevice::Take(Queue queue, double seconds, Ticket after) {
  const std::lock_guard lock(mutex_);
  const auto nanoseconds = static_cast<Ticket>((seconds + options_.latency_s) * 1e9);
  const Ticket begin = std::max({NowTicket(), free_at_[queue], after});
  return free_at_[queue] = begin + nanoseconds;
}

absl::StatusOr<Ticket> SimulatedDevice::CopyIn(const Tile& from, DeviceMemory to, Ticket after) {
  if (!options_.is_dry) CopyRows(from, Packed(from, to.data));
  return TakeCopy(kIn, from.bytes(), after);
}

absl::StatusOr<Ticket> SimulatedDevice::CopyOut(DeviceMemory from, const Tile& to, Ticket after) {
  if (!options_.is_dry) CopyRows(Packed(to, from.data), to);
  return TakeCopy(kOut, to.bytes(), after);
}

// Both links are taken.
absl::StatusOr<Ticket> SimulatedDevice::CopyAcross(Device& source, DeviceMemory from,
                                                   DeviceMemory to) {
  auto* const other = dynamic_cast<SimulatedDevice*>(&source);
  if (other == nullptr) return absl::UnimplementedError("devices of other kinds");
  if (!options_.is_dry) std::memcpy(to.data, from.data, from.bytes);
  const Ticket sent = other->TakeCopy(kOut, from.bytes, kDone);
  return std::max(sent, TakeCopy(kIn, from.bytes, kDone));
}

absl::StatusOr<Ticket> SimulatedDevice::Launch(const Kernel& kernel, std::span<const Tile> tiles,
                                               std::span<const std::byte> scalars,
                                               std::span<const Ticket> after) {
  if (!options_.is_dry) {
    if (absl::Status done = kernel.simulated()(tiles, scalars); !done.ok()) return done;
  }
  const Ticket latest = after.empty() ? kDone : *std::max_element(after.begin(), after.end());
  return Take(kCompute, kernel.flops() / options_.flops_per_s, latest);
}

absl::Status SimulatedDevice::Wait(Ticket ticket) {
  if (ticket != kDone) {
    lwt::SleepUntil(lwt::Deadline(std::chrono::nanoseconds(static_cast<std::int64_t>(ticket))));
  }
  return absl::OkStatus();
}

}  // namespace taskrt
