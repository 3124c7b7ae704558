#include "llcl/sim/options.h"

#include "llcl/system/option_range.h"

namespace llcl {

absl::Status Check(const SimOptions& options) {
  constexpr int kMostRanks = 4096;
  constexpr std::size_t kMostPosted = std::size_t{1} << 20;
  constexpr double kMostNs = 1e15, kLeastRate = 1e-9, kMostRate = 1e9;  // 1e15 ns: 11 days
  absl::Status status = InRange("ranks", options.ranks, 1, kMostRanks);
  status.Update(InRange("ranks_per_host", options.ranks_per_host, 1, kMostRanks));
  status.Update(InRange("host_latency_ns", options.host_latency_ns, 0.0, kMostNs));
  status.Update(InRange("latency_ns", options.latency_ns, 0.0, kMostNs));
  status.Update(InRange("bytes_per_ns", options.bytes_per_ns, kLeastRate, kMostRate));
  status.Update(InRange("jitter", options.jitter, 0.0, 1.0));
  status.Update(InRange("most_posted", options.most_posted, std::size_t{1}, kMostPosted));
  status.Update(InRange("detection_ns", options.detection_ns, 0.0, kMostNs));
  return status;
}

}  // namespace llcl
