// The executors of an endpoint, one for each device of its conduit.
//
// Threads: Start by one thread, before the others' calls; the rest by any, at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "llcl/completion.h"
#include "llcl/conduit/conduit.h"
#include "llcl/conduit/packing.h"
#include "llcl/executor/command.h"
#include "llcl/executor/counters.h"
#include "llcl/executor/device.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/host.h"
#include "llcl/executor/thread_number.h"
#include "llcl/region.h"

namespace llcl {

// A resource. `conduit` outlives it.
class Executors {
 public:
  // With `packing`, if it is not null, the one executor is on top of it.
  Executors(const Conduit& conduit, const ExecutorOptions& options,
            std::unique_ptr<PackingDevice> packing);
  Executors(const Executors&) = delete;
  Executors& operator=(const Executors&) = delete;

  // Makes the executors and starts the progress thread of each. Executors call `host` for messages
  // and for what is due between steps. Throws std::system_error where the process has no descriptor
  // or thread left; then none runs.
  void Start(Host& host);
  // Returns when all accepted operations have ended, and then the progress threads.
  void Close();
  void Abort();

  std::size_t size() const { return executors_.size(); }

  // Is `rank` known to be gone?
  bool IsDown(Rank rank) const {
    // Each request comes here: std::any_of is twice as long.
    for (const Device* const device : devices_) {
      if (device->IsDown(rank)) return true;
    }
    return false;
  }
  // Device::losses, of all devices.
  int losses() const;

  // The devices hear that `rank` has left.
  void OnLeft(Rank rank) {
    for (const auto& executor : executors_) executor->OnLeft(rank);
  }
  // Messages go by the first device.
  bool HasMet(Rank rank) { return executors_.front()->HasMet(rank); }
  bool meets_on_use() const { return devices_.front()->meets_on_use(); }
  Device::Contact ContactOf(Rank rank) { return executors_.front()->ContactOf(rank); }
  void Doubt(Rank rank) { executors_.front()->Doubt(rank); }
  void Meet(Rank rank) { executors_.front()->Meet(rank); }
  void StopMeeting() { executors_.front()->StopMeeting(); }
  bool delivers_last_messages() const { return devices_.front()->delivers_last_messages(); }
  // batches.h, over all devices.
  void MarkBatches() {
    for (const auto& executor : executors_) executor->MarkBatches();
  }
  bool HaveHandledMarked() const {
    return std::all_of(executors_.begin(), executors_.end(),
                       [](const auto& executor) { return executor->HasHandledMarked(); });
  }

  // The device that is to carry `command`.
  std::size_t DeviceFor(const Command& command) {
    return executors_.size() == 1 ? 0 : OneOfDevices(command);
  }
  // By command.device, as Executor::TryPost.
  [[nodiscard]] Posted TryPost(const Command& command, Completion then, std::uint32_t most_ms,
                               Completion released) {
    return executors_[command.device]->TryPost(command, then, most_ms, released);
  }
  // Executor::UseDevice, of the first.
  void UseDevice(absl::FunctionRef<void()> f) { executors_.front()->UseDevice(f); }
  bool TryAdvance();

  // A thread makes progress on all devices while it waits: Executor::StartWaiting.
  void StartWaiting();
  void EndWaiting(Wait wait);

  std::uint64_t in_flight() const;
  std::uint64_t overdue() const;
  // Of all devices, or of one.
  ExecutorCounts counts() const;
  ExecutorCounts counts(std::size_t device) const { return executors_[device]->counts(); }

 private:
  std::size_t OneOfDevices(const Command& command);

  const ExecutorOptions options_;
  const std::vector<Device*> devices_;            // of the conduit
  const std::unique_ptr<PackingDevice> packing_;  // between the conduit and the executor, if any
  std::vector<std::unique_ptr<Executor>> executors_;  // by device
  std::atomic<std::size_t> turn_{0};                  // of the devices, for long transfers
};

}  // namespace llcl
