// taskgraph: the block, and the variables outside of it that its tasks use, whose places a replay
// gives them anew.
//
// Pure. Threads: one. Source: OpenMP 6.0, section 14.3.
#pragma once

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

absl::StatusOr<TaskGraphRegion> TaskGraphOf(Resolution& all, const ParsedConstruct& construct,
                                            const ResolveBody& body);

}  // namespace taskrt
