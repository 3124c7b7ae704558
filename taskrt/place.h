// Where tasks run and data lies: the host, and devices with a memory of their own.
#pragma once

#include "taskrt/language.h"

namespace taskrt {

// 0 is the host, all of its cores; then the devices.
using Place = int;
inline constexpr Place kHost = 0;
inline constexpr int kMostPlaces = 64;
// Of RuntimeOptions::devices[index].
constexpr Place DevicePlace(int index) { return index + 1; }

// Of a task whose place is chosen when it can begin (schedulers/scheduler.h).
inline constexpr Place kWhenReady = -1;
// Of a task that asks for no place: the scheduler chooses (task_options.h).
inline constexpr Place kAnyPlace = -2;

}  // namespace taskrt
