#include "lwt/kernel/victim_rings.h"

#include <algorithm>
#include <map>

namespace lwt {

std::vector<Ring> RingsOf(int worker, int workers, std::span<const std::uint64_t> distances) {
  std::map<std::uint64_t, Ring> rings;
  for (int other = 0; other < workers; ++other) {
    if (other == worker) continue;
    const std::uint64_t distance = distances[static_cast<std::size_t>(worker * workers + other)];
    Ring& ring = rings[distance];
    ring.distance = distance;
    ring.workers.push_back(other);
  }
  std::vector<Ring> order;
  for (auto& [distance, ring] : rings) order.push_back(std::move(ring));
  return order;
}

std::vector<std::uint64_t> DistancesOf(std::span<const Place> places,
                                       std::span<const std::uint64_t> node_distances, int nodes) {
  constexpr std::uint64_t kSameCore = 0, kSameNode = 1, kUnknown = 100;
  const auto between = [&](const Place& from, const Place& to) -> std::uint64_t {
    if (from.core >= 0 && from.core == to.core) return kSameCore;
    if (from.node < 0 || to.node < 0 || from.node == to.node) return kSameNode;
    if (node_distances.empty()) return kUnknown;
    return std::max<std::uint64_t>(
        node_distances[static_cast<std::size_t>(from.node * nodes + to.node)], 10);
  };
  std::vector<std::uint64_t> distances;
  for (const Place& from : places) {
    for (const Place& to : places) distances.push_back(between(from, to));
  }
  return distances;
}

}  // namespace lwt
