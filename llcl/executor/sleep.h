// How an executor's progress thread sleeps.
#pragma once

#include <cstdint>

namespace llcl {

enum class Sleep : std::uint8_t {
  kAwake,
  kOnDevice,     // the device wakes it
  kLeft,         // threads that wait poll the device; the last that ends arms the device again
  kLeftShortly,  // as kLeft for a millisecond at most: only a thread that polled long arms it again
  kShort,        // it wakes soon by itself
  kBlind,        // only its doorbell wakes it
};

// An executor whose progress thread is about to sleep. A value.
struct IdleExecutor {
  bool device_wakes = false;      // by a descriptor
  bool is_polled = false;         // the device, by another thread, now or a moment ago
  bool has_operations = false;    // in flight
  bool has_pending_host = false;  // Host::IsPending
};

constexpr Sleep SleepOf(const IdleExecutor& idle) {
  if (idle.device_wakes) return idle.is_polled ? Sleep::kLeftShortly : Sleep::kOnDevice;
  return idle.has_operations || idle.is_polled ? Sleep::kShort : Sleep::kBlind;
}

// How long it sleeps at most, unless it is woken. Overdue operations are looked for while some are
// in flight; else seldom, as a caller may post the first one meanwhile. A device that cannot wake
// it is looked at each millisecond: other ranks may use this rank's memory without a message to it.
constexpr int MostSleepMs(const IdleExecutor& idle) {
  constexpr int kSoon = 1, kWatching = 20, kIdle = 100;
  if (!idle.device_wakes || idle.is_polled || idle.has_pending_host) return kSoon;
  return idle.has_operations ? kWatching : kIdle;
}

}  // namespace llcl
