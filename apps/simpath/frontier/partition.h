// Counts paths edge by edge, level by level: the mates after each step are dealt to parts by their
// hash, of which each fits in a cache.
//
// A step has two halves. First each part of the level is read, and what comes of its mates is put
// aside for the parts of the next level; then each of those is made of all that was put aside for
// it. Within a half lightweight threads take parts as they come: no part is written by two at once.
//
// Source: as plan.h.
#pragma once

#include "absl/status/statusor.h"
#include "apps/simpath/frontier/count_options.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/problem/count.h"
#include "lwt/pool.h"

namespace simpath {

// By the workers of the pool. Errors: as CountSequentially's.
absl::StatusOr<Count> CountByParts(const Plan& plan, lwt::Pool& pool,
                                   const CountOptions& options = {});

}  // namespace simpath
