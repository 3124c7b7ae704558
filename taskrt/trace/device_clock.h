// A device's clock beside lwt's, by moments that are known on both: of each the device says when it
// was, and the host between which two of its own it was.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "taskrt/trace/trace.h"

namespace taskrt {

// A value. Time: nanoseconds.
class DeviceClock {
 public:
  // The device's moment was in this span of lwt's. What was known before is right until a moment
  // says that it is not, and is then changed by as little as will do: what follows each other on
  // the device does so here if it is asked for in that order, and clocks that drift apart are
  // followed.
  void Saw(std::int64_t device_ns, TimeSpan host) {
    const std::int64_t least = host.begin_ns - device_ns, most = host.end_ns - device_ns;
    offset_ns_ = std::clamp(offset_ns_.value_or(least), least, std::max(least, most));
  }

  // Of an operation that the device says to have done in `device`. Never before it was asked for,
  // nor after its end was seen.
  TimeSpan SpanOf(TimeSpan device, std::int64_t asked_ns, std::int64_t seen_ns) {
    Saw(device.begin_ns, {asked_ns, seen_ns});
    Saw(device.end_ns, {asked_ns, seen_ns});
    const std::int64_t begin = std::clamp(device.begin_ns + *offset_ns_, asked_ns, seen_ns);
    return {begin, std::clamp(device.end_ns + *offset_ns_, begin, seen_ns)};
  }

 private:
  std::optional<std::int64_t> offset_ns_;  // from the device's to lwt's
};

}  // namespace taskrt
