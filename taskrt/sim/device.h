// A device that is not there: memory of its own, so that a copy that is missing shows; kernels that
// are computed, or not; and time that passes on lwt's clock, which is virtual where its workers are
// simulated.
//
// It has queues for copies in, copies out and kernels, of the last as many as the units of the
// kernels that it is given (Kernel::Units). An operation begins when its queue is
// free and the operations that it comes after have ended. Its effect is computed at once, in the
// order of the calls: as on a real device, no caller may look before the time has passed.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/device.h"
#include "topo/mutex.h"

namespace taskrt {

// How a copy is asked for.
enum class SimulatedCopies {
  kAsynchronous,  // the worker goes on
  kBlocking,      // it is held up until the copy has ended, as where memory is not page-locked
};

// In what a device takes its operations one after the other.
enum class SimulatedQueues {
  kThree,  // copies in, copies out and kernels, side by side
  kOne,
};

// A resource that several devices have in common and that serves one after the other: the way by
// which their kernels use memory of each other, or the lock of their driver. Threads: any.
class SimulatedServer {
 public:
  // It serves so long from when it is free on, not before `after`. Returns the end.
  std::int64_t Take(double seconds, std::int64_t after);

 private:
  topo::Mutex mutex_;
  std::int64_t free_at_ ABSL_GUARDED_BY(mutex_) = 0;  // nanoseconds of lwt's clock
};

// A value. Time: seconds, each at most 1e6; a copy or a kernel that would take longer takes that.
struct SimulatedDeviceOptions {
  std::string name = "sim";
  std::uint64_t memory_bytes = 0;  // zero: enough
  std::uint64_t taken_bytes = 0;   // of those, by other programs, which the device does not report
  int kernels_until_lost = -1;     // it runs so many, and then it is lost; -1: never
  double flops_per_s = 1e13;
  double link_bytes_per_s = 12e9;  // each way; infinity: copies take no time, nor latency
  // How often a kernel reads what lies in another device's memory, where nothing is cached: as
  // often as a product of 1024 by 1024 in tiles of 128.
  double far_passes = 8;
  std::shared_ptr<SimulatedServer> far_path = nullptr;  // by which; null: a link of its own
  double latency_s = 10e-6;                             // of a copy or a kernel
  // Of an allocation, which holds up the worker that asks for it, as cudaMalloc does. Of virtual
  // workers only.
  double allocation_s = 200e-6;
  // Of each call that asks for memory, a copy or a kernel, which holds up the worker, also where
  // the copy itself takes no time. Of virtual workers only.
  double call_s = 0;
  std::shared_ptr<SimulatedServer> driver = nullptr;  // its lock; null: calls run side by side
  SimulatedQueues queues = SimulatedQueues::kThree;
  SimulatedCopies copies = SimulatedCopies::kAsynchronous;  // of virtual workers only
  bool is_dry = false;  // nothing is computed, copied or allocated: all only takes its time
};

// InvalidArgument names the field, its value and what it may be.
absl::Status CheckOptions(const SimulatedDeviceOptions& options);

// A resource.
class SimulatedDevice final : public Device {
 public:
  // Options that CheckOptions refuses are a broken contract.
  explicit SimulatedDevice(const SimulatedDeviceOptions& options);

  std::string name() const override { return options_.name; }
  std::uint64_t memory_bytes() const override { return options_.memory_bytes; }
  bool CanRun(const Kernel& kernel) const override { return kernel.simulated() != nullptr; }
  double flops_per_s() const override { return options_.flops_per_s; }
  absl::StatusOr<DeviceMemory> Allocate(std::uint64_t bytes) override;
  void Free(DeviceMemory memory) override;
  absl::StatusOr<Ticket> CopyIn(const Tile& from, DeviceMemory to, Ticket after) override;
  absl::StatusOr<Ticket> CopyOut(DeviceMemory from, const Tile& to, Ticket after) override;
  absl::StatusOr<Ticket> CopyAcross(Device& source, DeviceMemory from, DeviceMemory to) override;
  absl::StatusOr<Ticket> Launch(const Kernel& kernel, std::span<const Tile> tiles,
                                std::span<const std::byte> scalars, std::span<const Ticket> after,
                                std::uint64_t far_bytes) override;
  bool CanAccess(const Device& other) const override {
    return dynamic_cast<const SimulatedDevice*>(&other) != nullptr;
  }
  absl::Status Wait(Ticket ticket) override;
  std::optional<TimeSpan> SpanOf(Ticket ticket) override;

 private:
  enum Queue { kIn, kOut, kQueues };

  absl::Status Check();
  // What each call costs.
  void Call();
  // The queue does it when it is free, not before the moment `after`.
  std::int64_t& FreeAtOf(Queue queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return free_at_[options_.queues == SimulatedQueues::kOne ? kIn : queue];
  }
  TimeSpan Take(Queue queue, double seconds, std::int64_t after);
  TimeSpan TakeUnit(int units, double seconds, std::int64_t after);
  // When a kernel that comes after `after` would begin.
  std::int64_t BeginOfKernel(int units, std::int64_t after);
  std::int64_t& FreeAtOfUnit(int units) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Locks both, that of the lower address first, which clang's analysis does not follow.
  TimeSpan TakeBoth(SimulatedDevice& source, std::uint64_t bytes) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  double CopySeconds(std::uint64_t bytes) const;
  // A copy was asked for that takes this time.
  Ticket Copied(TimeSpan span);
  Ticket Promise(TimeSpan span);
  std::int64_t EndOf(Ticket ticket);

  const SimulatedDeviceOptions options_;
  std::atomic<int> kernels_{0};  // that it was asked for
  topo::Mutex mutex_;
  std::uint64_t used_ ABSL_GUARDED_BY(mutex_) = 0;  // bytes
  std::map<std::byte*, std::unique_ptr<std::byte[]>> allocated_ ABSL_GUARDED_BY(mutex_);
  std::int64_t free_at_[kQueues] ABSL_GUARDED_BY(mutex_) = {};  // nanoseconds of lwt's clock
  // Kernels' queues: a kernel with units is computed in as many of them, from the first on.
  std::vector<std::int64_t> units_free_at_ ABSL_GUARDED_BY(mutex_);
  std::vector<TimeSpan> spans_ ABSL_GUARDED_BY(mutex_);  // by ticket - 1, of all
};

}  // namespace taskrt
