// How an executor's progress thread sleeps.
#pragma once

#include <cstdint>

namespace llcl {

// Does the progress thread sleep, and does a device that executes a command wake it?
enum class Sleep : std::uint8_t {
  kAwake,
  kWokenByDevice,  // the thread sleeps, and no other thread has woken it
  kBlind,          // it sleeps, and the device does not wake it either
};

// An executor whose progress thread is about to sleep. A value.
struct IdleExecutor {
  bool device_wakes = false;      // by a descriptor that no other thread polls for
  bool has_operations = false;    // in flight
  bool has_pending_host = false;  // Host::IsPending
};

constexpr Sleep SleepOf(const IdleExecutor& idle) {
  return idle.device_wakes || idle.has_operations ? Sleep::kWokenByDevice : Sleep::kBlind;
}

// How long it sleeps at most, unless it is woken. Overdue operations are looked for while some are
// in flight; else seldom, as a caller may post the first one meanwhile. A device that cannot wake
// it is looked at each millisecond: other ranks may use this rank's memory without a message to it.
constexpr int MostSleepMs(const IdleExecutor& idle) {
  constexpr int kSoon = 1, kWatching = 20, kIdle = 100;
  if (!idle.device_wakes || idle.has_pending_host) return kSoon;
  return idle.has_operations ? kWatching : kIdle;
}

}  // namespace llcl
