#include <algorithm>
#include <utility>

#include "apps/stencil/blocking/blockings.h"
#include "apps/stencil/sweep/time_block.h"

namespace stencil {
namespace {

void Compute(Rank& rank, Planes now, Planes next, Slab planes) {
  const Slab rows = {0, rank.problem().ny};
  rank.InParallel([&](Worker& worker) {
    const Box box = {PartOf(planes, worker.thread(), worker.threads()), rows};
    if (box.planes.size() == 0) return;
    worker.Advance({.steps = 1, .from = now, .between = {}, .to = next}, {&box, 1});
  });
}

void ComputePlane(Rank& rank, Planes now, Planes next, std::uint64_t z) {
  const Slab rows = {0, rank.problem().ny};
  rank.InParallel([&](Worker& worker) {
    const Box box = {{z, z + 1}, PartOf(rows, worker.thread(), worker.threads())};
    if (box.rows.size() == 0) return;
    worker.Advance({.steps = 1, .from = now, .between = {}, .to = next}, {&box, 1});
  });
}

absl::Status Step(Rank& rank, Planes now, Planes next) {
  const Problem& problem = rank.problem();
  const Slab slab = rank.slab(), wide = Widened(slab, 1, problem.nz), rows = {0, problem.ny};
  absl::Status status = rank.Preload(now, {wide.first, slab.first}, rows);
  status.Update(rank.Preload(now, {slab.last, wide.last}, rows));
  if (!status.ok()) return status;
  Compute(rank, now, next, slab);
  return absl::OkStatus();
}

// While the neighbors' planes come, all planes are computed that do not depend on them.
absl::Status StepOverlapped(Rank& rank, Planes now, Planes next) {
  const Problem& problem = rank.problem();
  const Slab slab = rank.slab(), wide = Widened(slab, 1, problem.nz);
  absl::Status status = rank.StartPreload(now, {wide.first, slab.first});
  status.Update(rank.StartPreload(now, {slab.last, wide.last}));
  if (!status.ok()) return status;
  Slab inner = {slab.first + (slab.first - wide.first), slab.last - (wide.last - slab.last)};
  inner.last = std::max(inner.first, inner.last);
  Compute(rank, now, next, inner);
  status = rank.FinishPreload();
  if (!status.ok()) return status;
  if (slab.first < inner.first) ComputePlane(rank, now, next, slab.first);
  if (inner.last < slab.last) ComputePlane(rank, now, next, slab.last - 1);
  return absl::OkStatus();
}

}  // namespace

absl::Status RunSimple(Rank& rank, Planes (&grids)[2]) {
  for (int step = 0; step < rank.problem().steps; ++step) {
    absl::Status status = rank.pages() == Pages::kOverlapped
                              ? StepOverlapped(rank, grids[0], grids[1])
                              : Step(rank, grids[0], grids[1]);
    if (!status.ok()) return status;
    status = rank.Meet();
    if (!status.ok()) return status;
    std::swap(grids[0], grids[1]);
  }
  return absl::OkStatus();
}

}  // namespace stencil
