#include "apps/stencil/ranks/space_rank.h"

#include <omp.h>

#include <cstring>
#include <span>

#include "apps/stencil/ranks/clocked.h"

namespace stencil {
namespace {

class SpaceWorker final : public Worker {
 public:
  explicit SpaceWorker(const Problem& problem)
      : Worker(omp_get_thread_num(), omp_get_num_threads()), problem_(problem) {}

  void Advance(const TimeBlock& block, std::span<const Box> boxes) override {
    stencil::Advance(problem_, block, boxes);
  }
  void TakePlanes(Slab planes, Planes (&between)[2]) override {
    stencil::TakePlanes(problem_, planes, between);
  }
  void CopyRows(Planes from, std::uint64_t from_plane, Planes to, std::uint64_t to_plane,
                Slab rows) override {
    const std::uint64_t start = rows.first * problem_.nx;
    std::memcpy(to.plane(problem_, to_plane) + start, from.plane(problem_, from_plane) + start,
                rows.size() * problem_.nx * sizeof(double));
  }

 private:
  const Problem& problem_;
};

}  // namespace

absl::Status SpaceRank::Preload(Planes grid, Slab planes, Slab rows) {
  if (pages() == Pages::kByFault || planes.size() == 0) return absl::OkStatus();
  const Clocked preload(measured_.preload_seconds);
  const bool is_whole = rows.size() == problem().ny;
  // Whole planes follow each other.
  const std::uint64_t together = is_whole ? planes.size() : 1;
  for (std::uint64_t z = planes.first; z < planes.last; z += together) {
    const std::span part(grid.plane(problem(), z) + rows.first * problem().nx,
                         together * rows.size() * problem().nx);
    if (absl::Status status = space_.Preload(std::as_bytes(part)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status SpaceRank::StartPreload(Planes grid, Slab planes) {
  const Clocked preload(measured_.preload_seconds);
  const std::span part(grid.plane(problem(), planes.first), planes.size() * problem().plane());
  const auto arrival = space_.StartPreload(std::as_bytes(part));
  if (!arrival.ok()) return arrival.status();
  coming_.push_back(*arrival);
  return absl::OkStatus();
}

absl::Status SpaceRank::FinishPreload() {
  const Clocked preload(measured_.preload_seconds);
  absl::Status status;
  for (dsm::Arrival& arrival : coming_) status.Update(arrival.Wait());
  coming_.clear();
  return status;
}

void SpaceRank::InParallel(const std::function<void(Worker&)>& work) {
  const Clocked compute(measured_.compute_seconds);
#pragma omp parallel
  {
    SpaceWorker worker(problem());
    work(worker);
  }
}

absl::Status SpaceRank::Meet() {
  const Clocked barrier(measured_.barrier_seconds);
  ++measured_.exchanges;
  return space_.Barrier(dsm::Consistency::kDiscard);
}

}  // namespace stencil
