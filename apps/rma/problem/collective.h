// A collective operation of all ranks, by one network, with so many bytes.
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/rma/problem/point.h"

namespace rma {

enum class Collective { kBarrier, kBroadcast, kAllgather, kAllreduce, kAlltoall };
std::string_view ToString(Collective collective);

// A value.
struct CollectivePoint {
  Network network = Network::kSmp;
  Collective collective = Collective::kBarrier;
  // The bytes that the root sends; a rank's block, for all or for each other rank; a rank's
  // summands. A barrier has none.
  std::uint64_t bytes = 0;
  friend bool operator==(const CollectivePoint&, const CollectivePoint&) = default;
};

// "mixed, allreduce": all but the bytes.
std::string SeriesOf(const CollectivePoint& point);

// A value.
struct CollectiveRow {
  CollectivePoint point;
  int ranks = 0;
  std::vector<double> latencies_ns;  // one a repetition: the mean of its operations
};

}  // namespace rma
