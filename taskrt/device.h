// A device as the runtime sees it: memory of its own, copies and kernels that are asked for now and
// done later, in the order of their queues. What a back end implements (sim/); the host is none.
//
// Threads: any, all members; lightweight threads, on whose stacks a driver may run.
// Errors: absl::Status; Unavailable: the device is lost.
//
// Source: [WLBS20] section 3.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/kernel.h"
#include "taskrt/tile.h"
#include "taskrt/time_span.h"

namespace taskrt {

// A value: memory of a device. The pointer is the device's own: no host thread may use it.
struct DeviceMemory {
  std::byte* data = nullptr;
  std::uint64_t bytes = 0;
};

// A value: something that was asked for. Zero: nothing, done already.
using Ticket = std::uint64_t;
inline constexpr Ticket kDone = 0;

// What a kernel's body says is no word of the device that calls it, whatever its code.
inline absl::Status OfBody(absl::Status status) {
  if (absl::IsUnavailable(status)) status.SetPayload("taskrt/body", {});
  return status;
}
// The device is lost.
inline bool IsLoss(const absl::Status& status) {
  return absl::IsUnavailable(status) && !status.GetPayload("taskrt/body");
}

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  virtual std::uint64_t memory_bytes() const = 0;  // zero: unknown
  virtual bool CanRun(const Kernel& kernel) const = 0;
  // How many tasks it is given at a time, unless RuntimeOptions say so: while some compute, blocks
  // of the others are copied.
  virtual int tasks_in_flight() const { return 4; }
  // An estimate, with which schedulers begin; zero: unknown.
  virtual double flops_per_s() const { return 0; }

  // ResourceExhausted: there is none left.
  virtual absl::StatusOr<DeviceMemory> Allocate(std::uint64_t bytes) = 0;
  virtual void Free(DeviceMemory memory) = 0;

  // The rows of `from` go to `to` without gaps, and back. `after`: begins when that is done, on
  // whatever queue of this device.
  virtual absl::StatusOr<Ticket> CopyIn(const Tile& from, DeviceMemory to, Ticket after) = 0;
  virtual absl::StatusOr<Ticket> CopyOut(DeviceMemory from, const Tile& to, Ticket after) = 0;
  // Memory of the host that copies of this device will use often, until Unpin. A device that has
  // nothing to gain, or cannot have it, does nothing. Throws nothing.
  virtual void Pin(std::span<std::byte> /*memory*/) {}
  // After the last of these copies.
  virtual void Unpin(std::span<std::byte> /*memory*/) {}

  // From another device of the same kind. Unimplemented: it goes by way of the host.
  virtual absl::StatusOr<Ticket> CopyAcross(Device& source, DeviceMemory from, DeviceMemory to) = 0;

  // May its kernels use the other's memory?
  virtual bool CanAccess(const Device& /*other*/) const { return false; }

  // Of a kernel that it can run: what Launch would build, now. An error: Launch would return it.
  virtual absl::Status Build(const Kernel& /*kernel*/) { return absl::OkStatus(); }

  // `tiles`: in this device's memory, but for `far_bytes` of them, which are in that of devices
  // that it can access.
  virtual absl::StatusOr<Ticket> Launch(const Kernel& kernel, std::span<const Tile> tiles,
                                        std::span<const std::byte> scalars,
                                        std::span<const Ticket> after,
                                        std::uint64_t far_bytes = 0) = 0;

  // Returns when it is done; another thread runs meanwhile.
  virtual absl::Status Wait(Ticket ticket) = 0;

  // SpanOf will be called. Comes before all other calls.
  virtual void RecordTimes() {}
  // When the operation ran, in nanoseconds of lwt::Now(). Called once, soon after its end, and only
  // where a trace is recorded. None: unknown.
  virtual std::optional<TimeSpan> SpanOf(Ticket /*ticket*/) { return std::nullopt; }
};

}  // namespace taskrt
