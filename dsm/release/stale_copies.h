// Which copies are stale at the end of an epoch: those whose versions, at their homes, say that
// another rank has changed them in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/cache/held_pages.h"
#include "dsm/engine/space_memory.h"
#include "dsm/layout/address_map.h"
#include "dsm/peers/peers.h"
#include "llcl/endpoint.h"

namespace dsm {

// A resource. Threads: one at a time.
class StaleCopies {
 public:
  // Errors: those of the endpoint.
  static absl::StatusOr<std::unique_ptr<StaleCopies>> Make(const Peers& peers,
                                                           const AddressMap& map,
                                                           const SpaceMemory& memory);

  // Of these copies, ascending, leaves those that are stale at the end of the epoch, and those that
  // are new: their homes do not know of them. Errors: Unavailable.
  absl::Status Keep(std::uint64_t epoch, const HeldPages& held, std::vector<PageNumber>& pages);

 private:
  // Versions that are read at once.
  static constexpr std::uint64_t kMostAtOnce = 8192;
  // Pages that lie between two copies, at most, whose versions come along with theirs.
  static constexpr PageCount kGap{64};

  StaleCopies(const Peers& peers, const AddressMap& map, const SpaceMemory& memory)
      : peers_(peers), map_(map), memory_(memory) {}
  absl::Status ReadVersions(std::span<const PageNumber> pages);

  const Peers peers_;
  const AddressMap& map_;
  const SpaceMemory& memory_;
  llcl::Region versions_;  // as they are read
  std::vector<std::uint64_t>
      slots_;  // where in versions_ that of each page is, for the first pages
};

}  // namespace dsm
