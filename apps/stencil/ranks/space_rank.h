// A rank of a space at work, and how long all that takes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "apps/stencil/blocking/rank.h"
#include "apps/stencil/problem/problem.h"
#include "apps/stencil/sweep/kernel.h"
#include "dsm/space.h"

namespace stencil {

// A value: a rank's time, and what its part of the space did.
struct Measured {
  double seconds = 0;  // of all
  double compute_seconds = 0, preload_seconds = 0, barrier_seconds = 0;
  std::uint64_t exchanges = 0;  // barriers of all ranks
  std::uint64_t faults = 0, pages_fetched = 0;
  std::uint64_t switches = 0;  // faults, and looks again, that let others run
};

// A resource. Threads: one; those of InParallel are OpenMP's.
class SpaceRank final : public Rank {
 public:
  // The arguments must outlive it.
  SpaceRank(dsm::Space& space, const Problem& problem, Pages pages)
      : Rank(problem, space.rank(), space.ranks(), pages), space_(space) {}

  std::uint64_t page_bytes() const { return space_.options().page_bytes; }
  Measured& measured() { return measured_; }

  absl::Status Preload(Planes grid, Slab planes, Slab rows) override;
  absl::Status StartPreload(Planes grid, Slab planes) override;
  absl::Status FinishPreload() override;
  void InParallel(const std::function<void(Worker&)>& work) override;
  absl::Status Meet() override;

 private:
  dsm::Space& space_;
  std::vector<dsm::Arrival> coming_;
  Measured measured_;
};

}  // namespace stencil
