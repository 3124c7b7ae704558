// A3. In the first phase a rank advances its slab alone, at each step a plane less where it
// has a neighbor. What is left between two slabs grows by two planes at each step; both ranks
// do half of its rows each in the second phase (and a few more rows, where the halves meet).
//
// That takes, of each step, the two outermost planes of the first phase from both sides:
//
//   step 3             2 2 2|2 2 2             1: first phase, 2: second phase,
//   step 2           1 1 2 2|2 2 1 1           |: where slabs meet
//   step 1         1 1 1 1 2|2 1 1 1 1
//
// and gives each rank the rows of its own planes that the other has computed.
#include <algorithm>
#include <utility>
#include <vector>

#include "apps/stencil/blocking/blockings.h"
#include "apps/stencil/sweep/time_block.h"

namespace stencil {
namespace {

enum Side { kBelow, kAbove };  // of a slab
constexpr Side kSides[] = {kBelow, kAbove};
Side Other(Side side) { return side == kBelow ? kAbove : kBelow; }

// Steps at once: what both neighbors leave of a slab is not less than nothing.
int StepsAtOnce(const Problem& problem, int ranks) {
  if (ranks == 1) return problem.block;
  const std::uint64_t thinnest = problem.nz / static_cast<std::uint64_t>(ranks);
  return static_cast<int>(std::min<std::uint64_t>(problem.block, thinnest / 2));
}

class TwoPhases {
 public:
  TwoPhases(Rank& rank, Planes (&grids)[2], Planes seams)
      : rank_(rank), problem_(rank.problem()), grids_(grids), seams_(seams) {}

  absl::Status Run() {
    const int most = StepsAtOnce(problem_, rank_.ranks());
    for (int done = 0; done < problem_.steps; done += steps_) {
      steps_ = std::min(most, problem_.steps - done);
      AdvanceSlab();
      if (absl::Status status = rank_.Meet(); !status.ok()) return status;
      for (const Side side : kSides) {
        if (absl::Status status = AdvanceSeam(side); !status.ok()) return status;
      }
      if (absl::Status status = rank_.Meet(); !status.ok()) return status;
      for (const Side side : kSides) {
        if (absl::Status status = TakeOthersHalf(side); !status.ok()) return status;
      }
      std::swap(grids_[0], grids_[1]);
    }
    return absl::OkStatus();
  }

 private:
  bool HasNeighbor(Side side) const {
    return side == kBelow ? rank_.number() > 0 : rank_.number() + 1 < rank_.ranks();
  }
  int Neighbor(Side side) const { return rank_.number() + (side == kBelow ? -1 : 1); }

  // The first plane above the seam.
  std::uint64_t SeamAt(Side side) const {
    return side == kBelow ? rank_.slab().first : rank_.slab().last;
  }
  // The plane so far from the seam, on this rank's side; and on the other's.
  std::uint64_t Inward(Side side, std::uint64_t distance) const {
    return side == kBelow ? SeamAt(side) + distance : SeamAt(side) - 1 - distance;
  }
  std::uint64_t Outward(Side side, std::uint64_t distance) const {
    return side == kBelow ? SeamAt(side) - 1 - distance : SeamAt(side) + distance;
  }
  // The rows of this rank, and of the other.
  Slab Half(Side side) const {
    const std::uint64_t middle = problem_.ny / 2;
    return side == kAbove ? Slab{0, middle} : Slab{middle, problem_.ny};
  }
  Slab OthersHalf(Side side) const { return Half(Other(side)); }

  // A rank's planes of `seams_`: after `step` its outermost one of the first phase and the one
  // behind it; and after all steps, its neighbor's planes by their distance from the seam.
  std::uint64_t Edge(int rank, Side side, int step) const {
    return Base(rank) + 2 * (side * MostSteps() + static_cast<std::uint64_t>(step));
  }
  std::uint64_t Filled(int rank, Side side) const { return Base(rank) + (4 + side) * MostSteps(); }
  std::uint64_t Base(int rank) const {
    return static_cast<std::uint64_t>(rank) * SeamPlanes(problem_, rank_.ranks());
  }
  std::uint64_t MostSteps() const {
    return static_cast<std::uint64_t>(StepsAtOnce(problem_, rank_.ranks()));
  }

  void AdvanceSlab() {
    rank_.InParallel([this](Worker& worker) {
      const Slab part = PartOf(rank_.slab(), worker.thread(), worker.threads());
      if (part.size() > 0) AdvancePartOfSlab(worker, part);
    });
  }

  // As redundant between threads as A2.
  void AdvancePartOfSlab(Worker& worker, Slab part) {
    const auto depth = static_cast<std::uint64_t>(steps_);
    TimeBlock block = {.steps = steps_, .from = grids_[0], .between = {}, .to = grids_[1]};
    worker.TakePlanes(Common(Widened(part, depth, problem_.nz), rank_.slab()), block.between);
    std::vector<Box> boxes;
    for (std::uint64_t step = 1; step <= depth; ++step) {
      Slab planes = rank_.slab();
      if (HasNeighbor(kBelow)) planes.first += step;
      if (HasNeighbor(kAbove)) planes.last -= step;
      boxes.push_back({Common(planes, Widened(part, depth - step, problem_.nz)), {0, problem_.ny}});
    }
    worker.Advance(block, boxes);
    // Of each plane there are the last two steps yet: those that the seam depends on.
    for (const Side side : kSides) {
      if (!HasNeighbor(side)) continue;
      for (int step = 1; step < steps_; ++step) {
        for (std::uint64_t behind : {0, 1}) {
          const std::uint64_t z = Inward(side, static_cast<std::uint64_t>(step) + behind);
          if (z < part.first || z >= part.last) continue;
          worker.CopyRows(block.After(step), z, seams_, Edge(rank_.number(), side, step) + behind,
                          {0, problem_.ny});
        }
      }
    }
  }

  absl::Status AdvanceSeam(Side side) {
    if (!HasNeighbor(side)) return absl::OkStatus();
    const auto rows = [&](int step) {
      return Widened(Half(side), static_cast<std::uint64_t>(steps_ - step), problem_.ny);
    };
    const std::uint64_t near = Outward(side, 0), next = Outward(side, 1);
    absl::Status status =
        rank_.Preload(grids_[0], {std::min(near, next), std::max(near, next) + 1}, rows(0));
    for (int step = 1; step < steps_; ++step) {
      const std::uint64_t edge = Edge(Neighbor(side), Other(side), step);
      status.Update(rank_.Preload(seams_, {edge, edge + 2}, rows(step)));
    }
    if (!status.ok()) return status;
    rank_.InParallel([this, side](Worker& worker) {
      const Slab part = PartOf(Half(side), worker.thread(), worker.threads());
      if (part.size() > 0) AdvancePartOfSeam(worker, side, part);
    });
    return absl::OkStatus();
  }

  void AdvancePartOfSeam(Worker& worker, Side side, Slab part) {
    const auto depth = static_cast<std::uint64_t>(steps_);
    const std::uint64_t seam = SeamAt(side);
    TimeBlock block = {.steps = steps_, .from = grids_[0], .between = {}, .to = {}};
    worker.TakePlanes({seam - depth - 1, seam + depth + 1}, block.between);
    block.to = block.between[steps_ % 2];
    std::vector<Box> boxes;
    for (std::uint64_t step = 1; step <= depth; ++step) {
      boxes.push_back({{seam - step, seam + step}, Widened(part, depth - step, problem_.ny)});
    }
    for (int step = 1; step < steps_; ++step) {
      const auto far = static_cast<std::uint64_t>(step);
      const Slab rows = Widened(part, depth - far, problem_.ny);
      for (const std::uint64_t behind : {0, 1}) {
        worker.CopyRows(seams_, Edge(rank_.number(), side, step) + behind, block.After(step),
                        Inward(side, far + behind), rows);
        worker.CopyRows(seams_, Edge(Neighbor(side), Other(side), step) + behind, block.After(step),
                        Outward(side, far + behind), rows);
      }
    }
    worker.Advance(block, boxes);
    for (std::uint64_t distance = 0; distance < depth; ++distance) {
      const std::uint64_t own = Inward(side, distance);
      worker.CopyRows(block.to, own, grids_[1], own, part);
      worker.CopyRows(block.to, Outward(side, distance), seams_,
                      Filled(rank_.number(), side) + distance, part);
    }
  }

  absl::Status TakeOthersHalf(Side side) {
    if (!HasNeighbor(side)) return absl::OkStatus();
    const auto depth = static_cast<std::uint64_t>(steps_);
    const std::uint64_t filled = Filled(Neighbor(side), Other(side));
    const Slab rows = OthersHalf(side);
    const absl::Status status = rank_.Preload(seams_, {filled, filled + depth}, rows);
    if (!status.ok()) return status;
    rank_.InParallel([&](Worker& worker) {
      const Slab part = PartOf({0, depth}, worker.thread(), worker.threads());
      for (std::uint64_t distance = part.first; distance < part.last; ++distance) {
        worker.CopyRows(seams_, filled + distance, grids_[1], Inward(side, distance), rows);
      }
    });
    return absl::OkStatus();
  }

  Rank& rank_;
  const Problem& problem_;
  Planes (&grids_)[2];
  const Planes seams_;
  int steps_ = 0;  // of this block
};

}  // namespace

absl::Status RunTwoPhases(Rank& rank, Planes (&grids)[2], Planes seams) {
  return TwoPhases(rank, grids, seams).Run();
}

std::uint64_t SeamPlanes(const Problem& problem, int ranks) {
  return 6 * static_cast<std::uint64_t>(StepsAtOnce(problem, ranks));
}

}  // namespace stencil
