// All memory of a space, to disk and back: Space::Save and Space::Restore, documented there.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "dsm/engine/space_memory.h"
#include "dsm/home/home_claims.h"
#include "dsm/layout/address_map.h"
#include "dsm/peers/peers.h"
#include "dsm/release/release_protocol.h"

namespace dsm {

// A value: what is saved and restored, and what synchronizes the ranks.
struct CheckpointedSpace {
  const AddressMap& map;
  const SpaceMemory& memory;
  const Peers& peers;
  ReleaseProtocol& release;
};
// A value: how pages by first touch get the homes that they were saved on.
struct RestoredHomes {
  HomeClaims& claims;
  // Pages of the allocation have no home any more, and are zeros.
  absl::FunctionRef<absl::Status(const Allocation&)> forget;
};

absl::Status SaveCheckpoint(const CheckpointedSpace& space, const std::string& path);
absl::Status RestoreCheckpoint(const CheckpointedSpace& space, const RestoredHomes& homes,
                               const std::string& path);

}  // namespace dsm
