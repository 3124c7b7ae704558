// Host memory of the program that is pinned: copies go from and to it without a detour.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <map>
#include <new>
#include <span>

#include "absl/base/thread_annotations.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/tile.h"
#include "topo/mutex.h"

namespace taskrt::cuda {

// A resource of all devices of a driver: pinned once, memory is pinned for each of them.
class HostPins {
 public:
  // Less than this is copied by way of Staging, which costs less than to pin it (chosen, not
  // measured).
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 20;

  explicit HostPins(const Driver& driver) : driver_(driver) {}
  ~HostPins() {
    for (const auto& [data, pin] : pins_) driver_.MemHostUnregister(data);
  }
  HostPins(const HostPins&) = delete;
  HostPins& operator=(const HostPins&) = delete;

  // Once for each device; a device's context is current. Memory that the driver refuses stays as it
  // is, and so does all where there is no memory for the entry.
  void Pin(std::span<std::byte> memory) noexcept {
    if (memory.size() < kLeastBytes) return;
    const topo::Lock lock(mutex_);
    try {
      Pinned& pin = pins_[memory.data()];
      if (pin.users++ > 0) return;
      pin.bytes = memory.size();
    } catch (const std::bad_alloc&) {
      return;
    }
    if (driver_.MemHostRegister(memory.data(), memory.size(), kHostRegisterPortable) != kSuccess) {
      pins_.erase(memory.data());
    }
  }
  // After the last copy from and to it.
  void Unpin(std::span<std::byte> memory) {
    const topo::Lock lock(mutex_);
    const auto pin = pins_.find(memory.data());
    if (pin == pins_.end() || --pin->second.users > 0) return;
    driver_.MemHostUnregister(memory.data());
    pins_.erase(pin);
  }

  // Can a copy take the tile as it is: packed, and pinned as a whole?
  bool Has(const Tile& tile) const {
    if (!tile.is_packed()) return false;
    const topo::Lock lock(mutex_);
    auto after = pins_.upper_bound(tile.data);
    if (after == pins_.begin()) return false;
    const auto& [data, pin] = *--after;
    return tile.data + tile.bytes() <= data + pin.bytes;
  }

 private:
  struct Pinned {
    std::size_t bytes = 0;
    int users = 0;
  };

  const Driver& driver_;
  mutable topo::Mutex mutex_;
  std::map<std::byte*, Pinned> pins_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt::cuda
