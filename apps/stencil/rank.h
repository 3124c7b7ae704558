// A rank at work: its slab, what it fetches, where it meets the others, and how long all that
// takes. The algorithms are written in these terms.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "apps/stencil/clocked.h"
#include "apps/stencil/kernel.h"
#include "apps/stencil/problem.h"
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

// How other ranks' planes come: when they are touched; before; while other points are computed;
// or when they are touched by lightweight threads, while other threads compute.
enum class Pages { kByFault, kByPreload, kOverlapped, kSwitched };

// A resource. Threads: one.
class Rank {
 public:
  // The arguments must outlive it.
  Rank(dsm::Space& space, const Problem& problem, Pages pages)
      : space_(space),
        problem_(problem),
        pages_(pages),
        slab_(SlabOf(problem, space.rank(), space.ranks())) {}

  const Problem& problem() const { return problem_; }
  int number() const { return space_.rank(); }
  int ranks() const { return space_.ranks(); }
  Slab slab() const { return slab_; }
  std::uint64_t page_bytes() const { return space_.options().page_bytes; }
  Pages pages() const { return pages_; }
  Measured& measured() { return measured_; }

  // Fetches some rows of each of these planes, which are about to be read; does nothing where
  // pages come by faults. Errors: those of the space.
  absl::Status Preload(Planes grid, Slab planes, Slab rows);

  // Begins to fetch all rows of these planes while the caller goes on; FinishPreload waits for
  // all that was begun. Errors: those of the space.
  absl::Status StartPreload(Planes grid, Slab planes);
  absl::Status FinishPreload();

  // Waits for all ranks, and drops all copies of others' pages. Nothing is sent, so every page
  // that was written must have its home here. Errors: those of the space.
  absl::Status Meet();

 private:
  dsm::Space& space_;
  const Problem& problem_;
  const Pages pages_;
  const Slab slab_;
  std::vector<dsm::Arrival> coming_;
  Measured measured_;
};

}  // namespace stencil
