#include "llcl/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "llcl/system/option_range.h"

namespace llcl {
namespace {

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

}  // namespace llcl
