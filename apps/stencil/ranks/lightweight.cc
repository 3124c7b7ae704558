#include "apps/stencil/ranks/lightweight.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "apps/stencil/ranks/clocked.h"
#include "lwt/lwt.h"

namespace stencil {
namespace {

std::atomic<std::uint64_t> switches{0};

// A thread for each page of the neighbors' planes: all of them fault at once, and the planes that
// do not depend on them are computed meanwhile.
void Step(const Problem& problem, Planes now, Planes next, Slab slab, std::uint64_t rows) {
  std::vector<lwt::Thread> edges;
  const auto compute_edge = [&](std::uint64_t z) {
    for (std::uint64_t y = 0; y < problem.ny; y += rows) {
      edges.push_back(lwt::Spawn([&problem, now, next, z, y, rows] {
        SweepRows(problem, now, next, z, y, std::min(y + rows, problem.ny));
      }));
    }
  };
  Slab inner = slab;
  if (slab.first > 0) compute_edge(inner.first++);
  if (slab.last < problem.nz && inner.first < inner.last) compute_edge(--inner.last);
  lwt::ParallelFor(static_cast<std::int64_t>(inner.first), static_cast<std::int64_t>(inner.last), 1,
                   [&](std::int64_t first, std::int64_t last) {
                     for (auto z = static_cast<std::uint64_t>(first);
                          z < static_cast<std::uint64_t>(last); ++z) {
                       SweepRows(problem, now, next, z, 0, problem.ny);
                     }
                   });
  for (lwt::Thread& edge : edges) edge.Join();
}

}  // namespace

bool RunOthers() {
  const auto begun = std::chrono::steady_clock::now();
  if (lwt::WorkerIndex() < 0 || !lwt::Yield()) return false;
  switches.fetch_add(1, std::memory_order_relaxed);
  // A thread that comes back at once was among others that wait, too: the communication threads
  // may need the core.
  constexpr auto kNoWork = std::chrono::microseconds(2);
  if (std::chrono::steady_clock::now() - begun < kNoWork) std::this_thread::yield();
  return true;
}

absl::Status RunLightweight(SpaceRank& rank, Planes (&grids)[2]) {
  // Handlers of faults, and what they call, run on the threads' stacks.
  const auto pool = lwt::Pool::Create({.workers = omp_get_max_threads(), .stack_bytes = 256 << 10});
  if (!pool.ok()) return pool.status();
  const Problem& problem = rank.problem();
  const std::uint64_t rows =
      std::max<std::uint64_t>(1, rank.page_bytes() / (problem.nx * sizeof(double)));
  const std::uint64_t before = switches.load();
  for (int step = 0; step < problem.steps; ++step) {
    {
      const Clocked compute(rank.measured().compute_seconds);
      (*pool)->Run([&] { Step(problem, grids[0], grids[1], rank.slab(), rows); });
    }
    if (absl::Status met = rank.Meet(); !met.ok()) return met;
    std::swap(grids[0], grids[1]);
  }
  rank.measured().switches = switches.load() - before;
  return absl::OkStatus();
}

}  // namespace stencil
