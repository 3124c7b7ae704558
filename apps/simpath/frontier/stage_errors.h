// The errors of a stage. Pure.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/simpath/frontier/plan.h"

namespace simpath {

// The error of a stage whose states need more than the limit.
inline absl::Status TooWide(const Plan& plan, const Stage& stage, std::uint64_t memory_limit) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "step ", stage.first + 1, " of ", plan.steps.size(), ", whose frontier has ",
      plan.widths[stage.first], " vertices, has more states than ", memory_limit, " bytes hold"));
}

// The error of a stage with a failed check (residue.h).
inline absl::Status Inconsistent(const Plan& plan, const Stage& stage) {
  return absl::InternalError(absl::StrCat(
      "step ", stage.first + 1, " of ", plan.steps.size(),
      " does not find the states and counts that the step before it wrote: the machine's memory or "
      "this program is faulty"));
}

}  // namespace simpath
