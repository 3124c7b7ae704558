#include "apps/stencil/rank.h"

#include <span>

namespace stencil {

absl::Status Rank::Preload(Planes grid, Slab planes, Slab rows) {
  if (pages_ == Pages::kByFault || planes.size() == 0) return absl::OkStatus();
  const Clocked preload(measured_.preload_seconds);
  const bool is_whole = rows.size() == problem_.ny;
  // Whole planes follow each other.
  const std::uint64_t together = is_whole ? planes.size() : 1;
  for (std::uint64_t z = planes.first; z < planes.last; z += together) {
    const std::span part(grid.plane(problem_, z) + rows.first * problem_.nx,
                         together * rows.size() * problem_.nx);
    if (absl::Status status = space_.Preload(std::as_bytes(part)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Rank::StartPreload(Planes grid, Slab planes) {
  const Clocked preload(measured_.preload_seconds);
  const std::span part(grid.plane(problem_, planes.first), planes.size() * problem_.plane());
  const auto arrival = space_.StartPreload(std::as_bytes(part));
  if (!arrival.ok()) return arrival.status();
  coming_.push_back(*arrival);
  return absl::OkStatus();
}

absl::Status Rank::FinishPreload() {
  const Clocked preload(measured_.preload_seconds);
  absl::Status status;
  for (dsm::Arrival& arrival : coming_) status.Update(arrival.Wait());
  coming_.clear();
  return status;
}

absl::Status Rank::Meet() {
  const Clocked barrier(measured_.barrier_seconds);
  ++measured_.exchanges;
  return space_.Barrier(dsm::Consistency::kDiscard);
}

}  // namespace stencil
