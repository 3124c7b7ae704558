// Gathers a value of every rank, or the reason of a rank without a value: so no rank waits for a
// rank that has given up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/launch/launch.h"

namespace llcl {

// As Launch::Allgather, for bytes that do not begin with a zero. Errors: as Allgather; `mine` where
// this rank has an error; Unavailable for the error of another rank, with the rank and the reason.
absl::StatusOr<std::vector<std::string>> AllgatherOrRefuse(Launch& launch,
                                                           const absl::StatusOr<std::string>& mine);

// Returns when all ranks have come, with the same errors.
absl::Status MeetOrRefuse(Launch& launch, const absl::Status& mine);

}  // namespace llcl
