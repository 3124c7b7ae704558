#include "apps/stencil/problem/problem.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace stencil {

absl::Status Check(const Problem& problem, int ranks, std::uint64_t page_bytes) {
  if (problem.nz < 3 || problem.ny < 3 || problem.nx < 3) {
    return absl::InvalidArgumentError(absl::StrCat("a grid has at least 3 points a side, not ",
                                                   problem.nz, " x ", problem.ny, " x ",
                                                   problem.nx));
  }
  if (problem.nz < static_cast<std::uint64_t>(ranks)) {
    return absl::InvalidArgumentError(
        absl::StrCat(problem.nz, " planes are too few for ", ranks, " ranks"));
  }
  if (ranks > 1 && problem.plane() * sizeof(double) % page_bytes != 0) {
    return absl::InvalidArgumentError(absl::StrCat("a plane of ", problem.ny, " x ", problem.nx,
                                                   " doubles is not of whole pages of ", page_bytes,
                                                   " bytes, so ranks would write to each other's"));
  }
  return absl::OkStatus();
}

Slab SlabOf(const Problem& problem, int rank, int ranks) {
  const auto r = static_cast<std::uint64_t>(rank), count = static_cast<std::uint64_t>(ranks);
  const std::uint64_t each = problem.nz / count, larger = problem.nz % count;
  const std::uint64_t first = r * each + std::min(r, larger);
  return {first, first + each + (r < larger ? 1 : 0)};
}

Slab Widened(Slab slab, std::uint64_t by, std::uint64_t end) {
  return {slab.first - std::min(slab.first, by), std::min(end, slab.last + by)};
}

Slab Common(Slab a, Slab b) {
  const std::uint64_t first = std::max(a.first, b.first);
  return {first, std::max(first, std::min(a.last, b.last))};
}

Slab PartOf(Slab slab, int thread, int threads) {
  const auto t = static_cast<std::uint64_t>(thread), count = static_cast<std::uint64_t>(threads);
  return {slab.first + slab.size() * t / count, slab.first + slab.size() * (t + 1) / count};
}

double InitialAt(std::uint64_t index) {
  std::uint64_t word = (index + 1) * 0x9E3779B97F4A7C15u;
  word = (word ^ word >> 29) * 0xBF58476D1CE4E5B9u;
  return static_cast<double>((word ^ word >> 32) >> 11) * 0x1p-53;
}

}  // namespace stencil
