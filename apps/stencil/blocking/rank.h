// A rank, as the blockings see it: its slab, what it fetches, where it meets the others, and the
// threads that compute. Real ranks are of a space (space_rank.h); those of simulated nodes record
// each call (recorder.h). Planes are names to the blockings: they never look inside.
//
// Threads: one.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "apps/stencil/blocking/worker.h"
#include "apps/stencil/problem/problem.h"
#include "apps/stencil/sweep/kernel.h"

namespace stencil {

// How other ranks' planes come: when they are touched; before; while other points are computed;
// or when they are touched by lightweight threads, while other threads compute.
enum class Pages { kByFault, kByPreload, kOverlapped, kSwitched };

class Rank {
 public:
  virtual ~Rank() = default;
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  const Problem& problem() const { return problem_; }
  int number() const { return number_; }
  int ranks() const { return ranks_; }
  Slab slab() const { return slab_; }
  Pages pages() const { return pages_; }

  // Fetches some rows of each of these planes, which are about to be read; does nothing where
  // pages come by faults. Errors: those of the space.
  virtual absl::Status Preload(Planes grid, Slab planes, Slab rows) = 0;

  // Begins to fetch all rows of these planes while the caller goes on; FinishPreload waits for
  // all that was begun. Errors: those of the space.
  virtual absl::Status StartPreload(Planes grid, Slab planes) = 0;
  virtual absl::Status FinishPreload() = 0;

  // All threads of the rank do this, and wait for each other.
  virtual void InParallel(const std::function<void(Worker&)>& work) = 0;

  // Waits for all ranks, and drops all copies of others' pages. Nothing is sent, so every page
  // that was written must have its home here. Errors: those of the space.
  virtual absl::Status Meet() = 0;

 protected:
  // The problem outlives it.
  Rank(const Problem& problem, int number, int ranks, Pages pages)
      : problem_(problem),
        number_(number),
        ranks_(ranks),
        pages_(pages),
        slab_(SlabOf(problem, number, ranks)) {}

 private:
  const Problem& problem_;
  const int number_, ranks_;
  const Pages pages_;
  const Slab slab_;
};

}  // namespace stencil
