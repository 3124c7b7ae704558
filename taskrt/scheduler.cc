#include "taskrt/scheduler.h"

namespace taskrt {

Place RoundRobin::PlaceFor(const Task&, std::span<const Place> places) {
  const auto devices = places.front() == kHost ? places.subspan(1) : places;
  if (devices.empty()) return kHost;
  return devices[next_++ % devices.size()];
}

}  // namespace taskrt
