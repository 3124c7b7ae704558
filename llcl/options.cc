#include "llcl/options.h"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "llcl/endpoint.h"
#include "llcl/sim/fabric.h"

namespace llcl {
namespace {

template <typename T>
absl::Status Wrong(const char* field, T value, const std::string& may_be) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, ": it is ", may_be));
}

// NaN is in no range.
template <typename T>
absl::Status InRange(const char* field, T value, T least, T most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Wrong(field, value, absl::StrCat(least, " to ", most));
}

absl::Status Check(const ExecutorOptions& options) {
  constexpr std::size_t kMostRing = std::size_t{1} << 20, kMostLanes = 1024;
  constexpr Tag kMostTags = 1 << 20;
  constexpr int kMostIdle = 1'000'000'000;
  absl::Status status = InRange("executor.mode", static_cast<int>(options.mode), 0, 2);
  if (options.ring < 2 || options.ring > kMostRing || (options.ring & (options.ring - 1)) != 0) {
    status.Update(
        Wrong("executor.ring", options.ring, absl::StrCat("a power of two from 2 to ", kMostRing)));
  }
  status.Update(InRange("executor.lanes", options.lanes, std::size_t{1}, kMostLanes));
  status.Update(InRange("executor.tags", options.tags, Tag{1}, kMostTags));
  status.Update(InRange("executor.idle.spin_us", options.idle.spin_us, 0, kMostIdle));
  status.Update(InRange("executor.idle.yield_us", options.idle.yield_us, 0, kMostIdle));
  status.Update(
      InRange("executor.idle.yield_of_waits_us", options.idle.yield_of_waits_us, 0, kMostIdle));
  return status;
}

}  // namespace

absl::Status Check(const EndpointOptions& options) {
  constexpr std::size_t kMostHandlers = 1 << 16;
  constexpr int kMostCredits = 1 << 20;
  constexpr std::uint64_t kMostLarge = std::uint64_t{1} << 40;
  absl::Status status = Check(options.executor);
  status.Update(InRange("handlers.size()", options.handlers.size(), std::size_t{0}, kMostHandlers));
  for (std::size_t i = 0; i < options.handlers.size() && status.ok(); ++i) {
    if (!options.handlers[i]) {
      status.Update(Wrong("handlers", absl::StrCat("empty at ", i), "functions"));
    }
  }
  status.Update(InRange("credits", options.credits, 1, kMostCredits));
  status.Update(InRange("large_bytes", options.large_bytes, std::uint64_t{0}, kMostLarge));
  status.Update(InRange("timeout in milliseconds", options.timeout.count(), Timeout::rep{1},
                        Timeout::max().count()));
  return status;
}

absl::Status Check(const SimOptions& options) {
  constexpr int kMostRanks = 4096;
  constexpr std::size_t kMostPosted = std::size_t{1} << 20;
  constexpr double kMostNs = 1e15, kLeastRate = 1e-9, kMostRate = 1e9;  // 1e15 ns: 11 days
  absl::Status status = InRange("ranks", options.ranks, 1, kMostRanks);
  status.Update(InRange("latency_ns", options.latency_ns, 0.0, kMostNs));
  status.Update(InRange("bytes_per_ns", options.bytes_per_ns, kLeastRate, kMostRate));
  status.Update(InRange("jitter", options.jitter, 0.0, 1.0));
  status.Update(InRange("most_posted", options.most_posted, std::size_t{1}, kMostPosted));
  status.Update(InRange("detection_ns", options.detection_ns, 0.0, kMostNs));
  return status;
}

void CheckOrDie(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "llcl: %s\n", std::string(status.message()).c_str());
  std::abort();
}

}  // namespace llcl
