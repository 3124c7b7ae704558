// From which victim a worker steals first, decided before any worker runs.
//
// Pure. Source: [NNT13] section 5.1 (hierarchies of nodes); the rings are those
// of Quintin, Wagner: Hierarchical work-stealing, Euro-Par 2010.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lwt {

// A value. Workers at the same distance from one worker.
struct Ring {
  std::uint64_t distance = 0;
  std::vector<int> workers;
  friend bool operator==(const Ring&, const Ring&) = default;
};

// The other workers by distance from `worker`, the nearest ring first, workers
// in a ring by number. `distances`: workers x workers, row = from.
std::vector<Ring> RingsOf(int worker, int workers, std::span<const std::uint64_t> distances);

// How far workers are apart by what they share: 0 the core, 1 the NUMA node, else
// 10 and more, the distance of their nodes (100 where it is unknown).
// One row of places a worker.
struct Place {
  int core = -1;  // in the whole machine; -1: anywhere
  int node = -1;  // position of its NUMA node
};
std::vector<std::uint64_t> DistancesOf(std::span<const Place> places,
                                       std::span<const std::uint64_t> node_distances, int nodes);

}  // namespace lwt
