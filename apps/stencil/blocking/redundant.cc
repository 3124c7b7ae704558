#include <algorithm>
#include <utility>
#include <vector>

#include "apps/stencil/blocking/blockings.h"
#include "apps/stencil/sweep/time_block.h"

namespace stencil {
namespace {

// Each thread computes its part alone, with as many planes around it as it depends on, as each
// rank does with its slab.
void AdvancePart(Worker& worker, const Problem& problem, const Planes (&grids)[2], Slab part,
                 int steps) {
  const auto depth = static_cast<std::uint64_t>(steps);
  TimeBlock block = {.steps = steps, .from = grids[0], .between = {}, .to = grids[1]};
  worker.TakePlanes(Widened(part, depth, problem.nz), block.between);
  std::vector<Box> boxes;
  for (std::uint64_t step = 1; step <= depth; ++step) {
    boxes.push_back({Widened(part, depth - step, problem.nz), {0, problem.ny}});
  }
  worker.Advance(block, boxes);
}

}  // namespace

absl::Status RunRedundant(Rank& rank, Planes (&grids)[2]) {
  const Problem& problem = rank.problem();
  const Slab slab = rank.slab(), rows = {0, problem.ny};
  for (int done = 0; done < problem.steps;) {
    const int steps = std::min(problem.block, problem.steps - done);
    const Slab wide = Widened(slab, static_cast<std::uint64_t>(steps), problem.nz);
    absl::Status status = rank.Preload(grids[0], {wide.first, slab.first}, rows);
    status.Update(rank.Preload(grids[0], {slab.last, wide.last}, rows));
    if (!status.ok()) return status;
    rank.InParallel([&](Worker& worker) {
      const Slab part = PartOf(slab, worker.thread(), worker.threads());
      if (part.size() > 0) AdvancePart(worker, problem, grids, part, steps);
    });
    status = rank.Meet();
    if (!status.ok()) return status;
    std::swap(grids[0], grids[1]);
    done += steps;
  }
  return absl::OkStatus();
}

}  // namespace stencil
