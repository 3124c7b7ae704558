#include "taskrt/schedulers/scheduler.h"

#include <algorithm>
#include <optional>

#include "taskrt/task/block.h"

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
  std::optional<int> changes, reads;
  int adds = 0;
  for (const TaskAccess& access : task.accesses()) {
    if (!Writes(access.mode) && !reads) reads = access.block->owner;
    // To a partial block, which is everywhere.
    const bool only_adds = access.mode == Mode::kReduction && access.block->reduction != nullptr &&
                           task.graph() == nullptr;
    if (Writes(access.mode) && !only_adds) changes = access.block->owner;
    adds = access.block->owner;
  }
  const int owner = changes ? *changes : reads.value_or(adds);
  return devices[static_cast<std::size_t>(owner) % devices.size()];
}

Place Locality::PlaceFor(const Task& task, std::span<const Place> places) {
  const auto devices = DevicesOf(places);
  if (devices.empty()) return kHost;
  const auto cost = [&](Place place) {
    std::uint64_t missing = 0;
    for (const TaskAccess& access : task.accesses()) {
      if (Reads(access.mode) && !access.block->planned_replicas.IsAt(place)) ++missing;
    }
    return given_[static_cast<std::size_t>(place)] + tasks_a_block_ * missing;
  };
  const Place best = *std::min_element(devices.begin(), devices.end(),
                                       [&](Place a, Place b) { return cost(a) < cost(b); });
  ++given_[static_cast<std::size_t>(best)];
  return best;
}

Place Replay::PlaceFor(const Task& task, std::span<const Place> places) {
  if (task.number == 0) return places.front();
  if (task.number <= recorded_.size()) {
    const Place place = recorded_[task.number - 1];
    if (std::find(places.begin(), places.end(), place) != places.end()) return place;
  }
  ++others_;
  return places.front();
}

}  // namespace taskrt
