#include "taskrt/schedulers/scheduler.h"

#include <algorithm>
#include <optional>

namespace taskrt {
namespace {

std::span<const Place> DevicesOf(std::span<const Place> places) {
  return places.front() == kHost ? places.subspan(1) : places;
}

}  // namespace

Place RoundRobin::PlaceFor(TaskView, std::span<const Place> places) {
  const auto devices = DevicesOf(places);
  return devices.empty() ? kHost : devices[next_++ % devices.size()];
}

Place OwnerComputes::PlaceFor(TaskView task, std::span<const Place> places) {
  const auto devices = DevicesOf(places);
  if (devices.empty()) return kHost;
  std::optional<int> changes, reads;
  int adds = 0;
  for (std::size_t i = 0; i < task.access_count(); ++i) {
    const AccessView access = task.access(i);
    if (!Writes(access.mode()) && !reads) reads = access.owner();
    if (Writes(access.mode()) && !access.AddsToPartialBlock()) changes = access.owner();
    adds = access.owner();
  }
  const int owner = changes ? *changes : reads.value_or(adds);
  return devices[static_cast<std::size_t>(owner) % devices.size()];
}

Place Locality::PlaceFor(TaskView task, std::span<const Place> places) {
  const auto devices = DevicesOf(places);
  if (devices.empty()) return kHost;
  const auto cost = [&](Place place) {
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < task.access_count(); ++i) {
      const AccessView access = task.access(i);
      if (Reads(access.mode()) && !access.IsPlannedAt(place)) ++missing;
    }
    return given_[static_cast<std::size_t>(place)] + tasks_a_block_ * missing;
  };
  const Place best = *std::min_element(devices.begin(), devices.end(),
                                       [&](Place a, Place b) { return cost(a) < cost(b); });
  ++given_[static_cast<std::size_t>(best)];
  return best;
}

Place Replay::PlaceFor(TaskView task, std::span<const Place> places) {
  if (task.number() == 0) return places.front();
  if (task.number() <= recorded_.size()) {
    const Place place = recorded_[task.number() - 1];
    if (std::find(places.begin(), places.end(), place) != places.end()) return place;
  }
  ++others_;
  return places.front();
}

}  // namespace taskrt
