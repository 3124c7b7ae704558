#include "apps/stream/measure/tune.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace stream {
namespace {

// 64 MB an array and thread: past the caches, and a few milliseconds.
constexpr std::int64_t kProbeElements = std::int64_t{1} << 23;
constexpr int kRounds = 9;

std::vector<Part> Probe(std::span<const Part> parts) {
  std::vector<Part> probe(parts.begin(), parts.end());
  for (Part& part : probe) part.size = std::min(part.size, kProbeElements);
  return probe;
}

}  // namespace

double TimeOf(Team& team, Sweep sweep, std::span<const Part> parts) {
  const auto start = std::chrono::steady_clock::now();
  team.Run([&](const topo::Slot& slot) { sweep(parts[slot.thread]); });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t Fastest(std::size_t candidates, const std::function<double(std::size_t)>& seconds_of) {
  std::vector<double> best(candidates, std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < candidates; ++i) best[i] = std::min(best[i], seconds_of(i));
  }
  return static_cast<std::size_t>(std::min_element(best.begin(), best.end()) - best.begin());
}

std::array<const Code*, kKernels.size()> Tune(Team& team, std::span<const Part> parts,
                                              std::span<const Code> codes) {
  const std::vector<Part> probe = Probe(parts);
  std::array<const Code*, kKernels.size()> chosen{};
  for (const Kernel kernel : kKernels) {
    chosen[static_cast<std::size_t>(kernel)] = &codes[Fastest(
        codes.size(), [&](std::size_t i) { return TimeOf(team, codes[i][kernel], probe); })];
  }
  return chosen;
}

const Limit& Tune(Team& team, std::span<const Part> parts, std::span<const Limit> limits) {
  const std::vector<Part> probe = Probe(parts);
  return limits[Fastest(limits.size(),
                        [&](std::size_t i) { return TimeOf(team, limits[i].sweep, probe); })];
}

}  // namespace stream
