// What all ranks give, or the reason of a rank that has nothing to give: so that no rank waits for
// one that has given up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/launch/launch.h"

namespace llcl {

// As Launch::Allgather, for bytes that do not begin with a zero. Errors: those of Allgather; `mine`
// where it is one; Unavailable where another rank's is, with that rank's number and its reason.
absl::StatusOr<std::vector<std::string>> AllgatherOrRefuse(Launch& launch,
                                                           const absl::StatusOr<std::string>& mine);

// Returns when all ranks have come, with the same errors.
absl::Status MeetOrRefuse(Launch& launch, const absl::Status& mine);

}  // namespace llcl
