// The data environment of devices: target data, target enter data, target exit data and target
// update.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.14.
#pragma once

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

absl::StatusOr<TargetDataRegion> TargetDataOf(Resolution& all, const ParsedConstruct& construct,
                                              const ResolveBody& body);
// target enter data, target exit data and target update: at once, after the tasks of `depend`.
absl::StatusOr<TargetDataActions> TargetDataActionsOf(Resolution& all,
                                                      const ParsedConstruct& construct);

}  // namespace taskrt
