#include "taskrt/scheduler.h"

#include "taskrt/block.h"

namespace taskrt {
namespace {

std::span<const Place> DevicesOf(std::span<const Place> places) {
  return places.front() == kHost ? places.subspan(1) : places;
}

}  // namespace

Place RoundRobin::PlaceFor(const Task&, std::span<const Place> places) {
  const auto devices = DevicesOf(places);
  return devices.empty() ? kHost : devices[next_++ % devices.size()];
}

Place OwnerComputes::PlaceFor(const Task& task, std::span<const Place> places) {
  const auto devices = DevicesOf(places);
  if (devices.empty()) return kHost;
  int owner = 0;
  for (const TaskAccess& access : task.accesses()) {
    if (Writes(access.mode)) owner = access.block->owner;
  }
  return devices[static_cast<std::size_t>(owner) % devices.size()];
}

}  // namespace taskrt
